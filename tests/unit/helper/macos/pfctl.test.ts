import { expect, test } from 'vitest';
import type { CommandResult } from '../../../../helper/posix/command.ts';
import { createFilterCalls, readToken } from '../../../../helper/macos/calls/pfctl.ts';

const noise = 'No ALTQ support in kernel\nALTQ related functions disabled\n';

/** A pfctl that says this, and what it was asked. */
function saying(result: Partial<CommandResult>) {
  const asked: { args: readonly string[]; input: string | undefined }[] = [];
  const calls = createFilterCalls(
    (_, args, input) => {
      asked.push({ args, input });
      return Promise.resolve({ status: 0, stdout: '', stderr: noise, ...result });
    },
    (_, args) => {
      asked.push({ args, input: undefined });
      return Promise.resolve(result.status ?? 0);
    },
  );
  return { calls, asked };
}

test('the noise that pfctl writes on success is no failure', async () => {
  const { calls, asked } = saying({ stderr: `${noise}pfctl: Use of -f option, could result in flushing\n` });
  await calls.load('com.apple/waymaker', 'pass all no state\n');
  expect(asked).toEqual([{ args: ['-a', 'com.apple/waymaker', '-f', '-'], input: 'pass all no state\n' }]);
});

test.each([
  { status: 1, stderr: 'stdin:1: syntax error\npfctl: Syntax error in config file: pf rules not loaded\n' },
  { status: 0, stderr: 'pfctl: /dev/pf: Operation not permitted\n' },
])('$stderr is a failure', async (result) => {
  await expect(saying(result).calls.load('com.apple/waymaker', 'x\n')).rejects.toThrow('pfctl -a');
});

test('the token is read from what pfctl writes to its standard error', () => {
  expect(readToken(`${noise}pf enabled\nToken : 10051342025653898869\n`)).toBe('10051342025653898869');
  expect(readToken(noise)).toBeUndefined();
});

test('a filter that cannot be switched on is a failure', async () => {
  await expect(saying({ status: 1 }).calls.enable(2)).rejects.toThrow('status 1');
});

test('releasing a token that pfctl no longer knows is no failure', async () => {
  expect(
    await saying({ status: 1, stderr: 'pfctl: DIOCSTOPREF: No such file or directory\n' }).calls.release('1'),
  ).toBe('absent');
  expect(await saying({}).calls.release('1')).toBe('released');
});

test('the first line of pfctl’s information says whether the filter is on', async () => {
  const on = saying({ stdout: 'Status: Enabled for 0 days 00:05:03           Debug: Urgent\n' });
  expect(await on.calls.isEnabled()).toBe(true);
  const off = saying({ stdout: 'Status: Disabled                              Debug: Urgent\n' });
  expect(await off.calls.isEnabled()).toBe(false);
});

test('anchors are listed with those that are in them', async () => {
  const { calls, asked } = saying({
    stdout: '  com.apple\n  com.apple/200.AirDrop\n  com.apple/200.AirDrop/Bonjour\n  com.apple/waymaker\n',
  });
  expect(await calls.anchors()).toEqual([
    'com.apple',
    'com.apple/200.AirDrop',
    'com.apple/200.AirDrop/Bonjour',
    'com.apple/waymaker',
  ]);
  expect(asked.map(({ args }) => args)).toEqual([['-v', '-s', 'Anchors']]);
});

test('each connection is read with the end that began it first', async () => {
  const { calls } = saying({
    stdout: [
      'ALL tcp 192.168.1.7:50123 -> 198.51.100.7:443       ESTABLISHED:ESTABLISHED',
      'ALL tcp 127.0.0.1:61661 <- 127.0.0.1:1143       SYN_SENT:ESTABLISHED',
      'ALL tcp 192.168.1.7:50124 (192.168.64.2:50124) -> 198.51.100.8:80       ESTABLISHED:ESTABLISHED',
      'ALL udp 2001:db8::7[5353] -> ff02::fb[5353]       SINGLE:NO_TRAFFIC',
      'ALL icmp 192.168.1.7:8 -> 198.51.100.9       0:0',
      '',
    ].join('\n'),
  });
  expect(await calls.states()).toEqual([
    { source: '192.168.1.7', destination: '198.51.100.7' },
    { source: '127.0.0.1', destination: '127.0.0.1' },
    { source: '192.168.1.7', destination: '198.51.100.8' },
    { source: '2001:db8::7', destination: 'ff02::fb' },
    { source: '192.168.1.7', destination: '198.51.100.9' },
  ]);
});

test('a connection whose address is translated is read with both its ends, and not with what is between (sshuttle 864)', async () => {
  const { calls } = saying({
    stdout: [
      'ALL tcp 192.168.64.2:50124 -> 192.168.1.7:61022 -> 198.51.100.8:80       ESTABLISHED:ESTABLISHED',
      'ALL udp 127.0.0.1:12299 <- 192.168.100.1:53 <- 192.168.100.3:61931       MULTIPLE:MULTIPLE',
      'ALL tcp fd00:64::2[50124] -> 2001:db8::7[61022] -> 2001:db8:8::8[80]       ESTABLISHED:ESTABLISHED',
      '',
    ].join('\n'),
  });
  expect(await calls.states()).toEqual([
    { source: '192.168.64.2', destination: '198.51.100.8' },
    { source: '192.168.100.3', destination: '127.0.0.1' },
    { source: 'fd00:64::2', destination: '2001:db8:8::8' },
  ]);
});
