import { mkdtemp, mkdir, readdir, readFile, rm, stat, symlink, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createJournal } from '../../../helper/system/journal/journal-file.ts';
import { readEncryption } from '../../../helper/engine/openconnect/encryption.ts';
import { readEngineLine } from '../../../helper/engine/openconnect/output.ts';
import { parseInterfaceCounters } from '../../../helper/linux/routing/interface-counters.ts';
import { mayCall } from '../../../helper/linux/callers/caller-identity.ts';
import { readUid } from '../../../helper/posix/read-uid.ts';
import { resolvedSettings } from '../../../helper/linux/dns/systemd-resolved.ts';
import {
  isStillRemembered,
  leftOverResolvConf,
  rememberResolvConf,
  restoreResolvConf,
  writeResolvConf,
} from '../../../helper/linux/dns/resolv-conf.ts';
import { salvageSteps } from '../../../helper/system/journal/journal-entry.ts';
import { createLog } from '../../../helper/log.ts';
import { probeTraffic } from '../../../helper/tunnel/health/traffic-probe.ts';
import { createLogMemory } from '../../../helper/log-memory.ts';
import { maxReadLogChars } from '../../../src/shared/helper/protocol.ts';
import { linuxDnsUndo } from '../../../helper/linux/dns/dns-undo-schema.ts';
import { linuxPlatform } from '../../../helper/linux/linux-platform.ts';
import { parseOptions } from '../../../helper/options.ts';

import { exec } from '../../lab/runs/process.ts';
import { planDeaths } from '../support/deaths/death-plan.ts';
import { backOffMs } from '../../../helper/tunnel/reconnect-delay.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-helper-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe('resolv.conf', () => {
  const dns = { servers: ['198.51.100.65', '2001:db8::65'], searchDomains: ['a.test', 'b.test'] };

  test.each([
    ['with text', '# by hand\nnameserver 203.0.113.53\n'],
    ['longer than ours', 'nameserver 203.0.113.53\n'.repeat(200)],
    ['without a last newline, with bytes that are no text', 'nameserver 203.0.113.53\r\n\xff\x00\xfe'],
    ['that is empty', ''],
  ])('a file %s is put back byte for byte', async (_name, text) => {
    const file = path.join(directory, 'resolv.conf');
    const original = Buffer.from(text, 'latin1');
    await writeFile(file, original);
    await chmod(file, 0o604);
    const { ino } = await stat(file);
    const step = await rememberResolvConf(file);
    await writeResolvConf(step, dns);
    expect(await readFile(file, 'utf8')).toMatch(
      /^(?:#.*\n)+nameserver 198\.51\.100\.65\nnameserver 2001:db8::65\nsearch a\.test b\.test\n$/,
    );
    expect(await isStillRemembered(step)).toBe(true);
    expect(await leftOverResolvConf(file)).toEqual(step);
    await restoreResolvConf(step);
    await restoreResolvConf(step);
    expect(await readFile(file)).toEqual(original);
    expect(await leftOverResolvConf(file)).toBeUndefined();
    expect(await stat(file)).toMatchObject({ ino, mode: 0o100604 });
  });

  test('a helper that is killed while it restores the file leaves the rest to the next one, at whatever moment', async () => {
    const file = path.join(directory, 'resolv.conf');
    const original = 'nameserver 203.0.113.53\n';
    const plan = await planDeaths(directory, 'all');
    const script = `
      const { restoreResolvConf } = await import('${import.meta.resolve('../../../helper/linux/dns/resolv-conf.ts')}');
      await restoreResolvConf(JSON.parse(process.argv[1]));`;
    let moment = 0;
    for (let isDead = true; isDead;) {
      moment += 1;
      await writeFile(file, original);
      const step = await rememberResolvConf(file);
      await writeResolvConf(step, dns);
      await plan.set(moment);
      const restore = [process.execPath, '--input-type=module', '-e', script, JSON.stringify(step)];
      isDead = (await exec([...plan.under, ...restore])).code !== 0;
      expect((await plan.moments()).length).toBe(isDead ? moment : moment - 1);
      await restoreResolvConf(step);
      expect(await readFile(file, 'utf8'), (await plan.moments()).at(-1)).toBe(original);
    }
    expect(moment).toBeGreaterThan(4);
  });

  test('a link is followed, also to nothing, and stays', async () => {
    const [link, target] = [path.join(directory, 'resolv.conf'), path.join(directory, 'run', 'real')];
    await mkdir(path.dirname(target));
    await symlink('run/real', link);
    const step = await rememberResolvConf(link);
    expect(step).toMatchObject({ path: target, original: null });
    await writeResolvConf(step, dns);
    expect(await readFile(target, 'utf8')).toContain('nameserver 198.51.100.65');
    expect(await leftOverResolvConf(link)).toEqual(step);
    await restoreResolvConf(step);
    await expect(readFile(target)).rejects.toThrow('ENOENT');
  });

  test('what somebody else wrote since is theirs, even if it begins like ours', async () => {
    const file = path.join(directory, 'resolv.conf');
    await writeFile(file, 'nameserver 203.0.113.53\n');
    const step = await rememberResolvConf(file);
    await writeResolvConf(step, dns);
    const theirs = '# Waymaker tunnel of another time\nnameserver 203.0.113.99\n';
    await writeFile(file, theirs);
    expect(await isStillRemembered(step)).toBe(false);
    expect(await leftOverResolvConf(file)).toBeUndefined();
    await restoreResolvConf(step);
    expect(await readFile(file, 'utf8')).toBe(theirs);
  });

  test('a link that takes the file’s place is not written through, whatever it points to', async () => {
    const [file, other] = [path.join(directory, 'resolv.conf'), path.join(directory, 'other')];
    for (const text of ['nameserver 203.0.113.99\n', undefined]) {
      await rm(file, { force: true });
      await writeFile(file, 'nameserver 203.0.113.53\n');
      const step = await rememberResolvConf(file);
      await rm(file);
      await symlink(other, file);
      if (text === undefined) await rm(other);
      else await writeFile(other, text);
      await expect(writeResolvConf(step, dns)).rejects.toThrow();
      await restoreResolvConf(step);
      expect(await readFile(other, 'utf8').catch(() => undefined)).toBe(text);
    }
  });

  test('a directory that is gone is not created again', async () => {
    const file = path.join(directory, 'run', 'resolv.conf');
    await mkdir(path.dirname(file));
    await writeFile(file, 'nameserver 203.0.113.53\n');
    const step = await rememberResolvConf(file);
    await rm(path.dirname(file), { recursive: true });
    await restoreResolvConf(step);
    await expect(stat(path.dirname(file))).rejects.toThrow('ENOENT');
  });
});

describe('the journal', () => {
  const schema = z.strictObject({ version: z.literal(1), text: z.string() });

  test('gives back what was written last, and nothing once it is cleared', async () => {
    const journal = createJournal(directory, schema);
    expect(await journal.read()).toEqual({ kind: 'empty' });
    await journal.write({ version: 1, text: 'first' });
    await journal.write({ version: 1, text: 'second' });
    expect(await createJournal(directory, schema).read()).toEqual({
      kind: 'entry',
      entry: { version: 1, text: 'second' },
    });
    await journal.clear();
    await journal.clear();
    expect(await journal.read()).toEqual({ kind: 'empty' });
  });

  test.each(['', '{', 'null', '{"version":2,"text":"x"}', '\0'])('puts %j aside', async (text) => {
    await writeFile(path.join(directory, 'journal.json'), text);
    const journal = createJournal(directory, schema);
    expect(await journal.read()).toEqual({ kind: 'unreadable', text });
    expect(await journal.read()).toEqual({ kind: 'empty' });
    expect(await readFile(path.join(directory, 'journal.unreadable'), 'utf8')).toBe(text);
  });

  test('a write that was cut off leaves the one before', async () => {
    const journal = createJournal(directory, schema);
    await journal.write({ version: 1, text: 'whole' });
    await writeFile(path.join(directory, 'journal.json.new'), '{"version":1,"te');
    expect(await journal.read()).toMatchObject({ entry: { text: 'whole' } });
    expect(await readdir(directory)).toEqual(['journal.json']);
  });
});

test('the steps that can be read in a journal that is not whole are undone, too', () => {
  const resolvConf = {
    kind: 'resolv-conf',
    path: '/etc/resolv.conf',
    original: null,
    marker: '# Waymaker x',
  };
  const steps = [{ kind: 'packet-filter' }, { kind: 'shell', command: 'id' }, resolvConf, 7];
  expect(salvageSteps(JSON.stringify({ version: 9, steps }), linuxDnsUndo)).toEqual([
    { kind: 'packet-filter' },
    { kind: 'routing' },
    { kind: 'device' },
    { kind: 'dns', how: resolvConf },
  ]);
  expect(salvageSteps('garbage', linuxDnsUndo)).toHaveLength(3);
});

test('re-connects wait longer and longer, up to half a minute', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 99].map((reconnect) => backOffMs(reconnect, () => 0));
  expect(longest).toEqual([200, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(backOffMs(2, () => 1)).toBe(800);
});

test('the engine’s messages are told apart', () => {
  const lines = {
    'Connected to HTTPS on gw.test with ciphersuite (TLS1.3)': 'secured',
    "None of the 1 fingerprint(s) specified via --servercert match server's certificate: x":
      'certificate-refused',
    'Established DTLS connection (using GnuTLS). Ciphersuite (DTLS1.2)-(PSK)-(AES-256-GCM).': 'dtls',
    'read -r answer <&4 && [ "$answer" = ok ]\' returned error 127': 'unconfigurable',
    'DTLS Dead Peer Detection detected dead peer!': 'tls',
    'CSTP Dead Peer Detection detected dead peer!': 'lost',
    'Failed to read from TLS/DTLS socket: The TLS connection was non-properly terminated.': 'lost',
    'Read error on SSL session: Success.': 'lost',
    'Read error on DTLS session: Success.': undefined,
    'Reconnect gave different Legacy IP address (198.51.100.141 != 198.51.100.140)': 'lost',
    'Connected to 198.51.100.2:443': undefined,
    'Failed to connect to 198.51.100.2:443: Connection refused': 'refused',
    'Failed to connect to 198.51.100.2:443: Network is down': 'no-route',
    'SSL connection failure: A TLS fatal alert has been received.': 'handshake-alert',
    'SSL connection failure: An unexpected TLS packet was received.': 'tls-failed',
    'SSL connection failure: A packet with illegal or unsupported version was received.': 'tls-outdated',
    'SSL connection failure: Safe renegotiation failed.': 'unsafe-renegotiation',
    'SSL connection failure: Error in the pull function.': undefined,
    'SSL connection failure: The operation timed out': undefined,
    'SSL connection failure: The TLS connection was non-properly terminated.': undefined,
  };
  for (const [line, event] of Object.entries(lines)) expect(readEngineLine(line), line).toBe(event);
});

test('what a transport is encrypted by is read from the engine’s messages, in words of ours', () => {
  const https = 'Connected to HTTPS on gw.test with ciphersuite';
  const dtls = 'Established DTLS connection (using GnuTLS). Ciphersuite';
  const lines = {
    [`${https} (TLS1.3)-(ECDHE-SECP256R1)-(RSA-PSS-RSAE-SHA256)-(AES-256-GCM)`]: 'tls TLS 1.3 AES-256-GCM',
    [`${https} (TLS1.2)-(ECDHE-X25519)-(RSA-SHA256)-(CHACHA20-POLY1305)`]: 'tls TLS 1.2 CHACHA20-POLY1305',
    [`${https} TLSv1.3-TLS_AES_128_GCM_SHA256`]: 'tls TLS 1.3 AES-128-GCM',
    [`${https} TLSv1.2-ECDHE-RSA-AES256-GCM-SHA384`]: 'tls TLS 1.2 AES-256-GCM',
    [`${dtls} (DTLS1.2)-(PSK)-(AES-256-GCM).`]: 'dtls DTLS 1.2 AES-256-GCM',
    [`${dtls} (DTLS0.9)-(RSA)-(AES-128-CBC)-(SHA1).`]: 'dtls DTLS 0.9 AES-128-CBC',
    // What others put there is not passed on.
    [`${https} (TLS1.3)-(<b>AES-256-GCM</b>)`]: 'tls TLS 1.3 AES-256-GCM',
    [`${https} (TLS1.3)-(ROT-13)`]: undefined,
    [`${https} (TLS9.9)-(AES-256-GCM)`]: undefined,
    [`${dtls} (TLS1.2)-(AES-256-GCM).`]: undefined,
    [`> ${https} (TLS1.3)-(AES-256-GCM)`]: undefined,
    [`${https} ${'A'.repeat(500)}`]: undefined,
  };
  for (const [line, wanted] of Object.entries(lines)) {
    const read = readEncryption(line);
    const text = read && `${read.transport} ${read.encryption.protocol} ${read.encryption.cipher}`;
    expect(text, line).toBe(wanted);
  }
});

test('counters of one device are read from all of them', () => {
  const text = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0',
    '   wm0: 1234567       9    0    0    0     0          0         0    89012       8    0    0    0     0       0          0',
    '  wm01:       5       9    0    0    0     0          0         0        6       8    0    0    0     0       0          0',
    '',
  ].join('\n');
  expect(parseInterfaceCounters(text, 'wm0')).toEqual({ received: 1_234_567, sent: 89_012 });
  expect(parseInterfaceCounters(text, 'wm9')).toBeUndefined();
});

test('systemd-resolved has to have the tunnel’s resolvers for all names, and all that the device would inherit', () => {
  expect(resolvedSettings({ servers: ['198.51.100.65'], searchDomains: ['a.test'] })).toEqual([
    ['dns', 'wm0', '198.51.100.65'],
    ['domain', 'wm0', '~.', 'a.test'],
    ['default-route', 'wm0', 'yes'],
    ['llmnr', 'wm0', 'no'],
    ['mdns', 'wm0', 'no'],
    ['dnsovertls', 'wm0', 'no'],
    ['dnssec', 'wm0', 'no'],
  ]);
});

test('only root, allowed users and members of the allowed group may call', () => {
  const policy = { allowedUids: [1000], allowedGid: 500 };
  const may = (uid: number, ...gids: number[]) => mayCall({ uid, gids }, policy);
  expect([may(0), may(1000), may(1001, 7, 500)]).toEqual([true, true, true]);
  expect([may(1001), may(500, 1000), may(1001, 0)]).toEqual([false, false, false]);
  expect(mayCall({ uid: 5, gids: [0] }, { allowedUids: [], allowedGid: undefined })).toBe(false);
  expect(['0', '1000'].map(readUid)).toEqual([0, 1000]);
  for (const none of ['-1', 'root', '', '1 2']) expect(() => readUid(none)).toThrow('not a uid');
});

describe('the command line', () => {
  const { options } = linuxPlatform;

  test('has the installed helper’s places as defaults', () => {
    expect(parseOptions([], options)).toEqual({
      socket: '/run/waymaker/helper.sock',
      stateDirectory: '/var/lib/waymaker',
      allowedUsers: [],
      allowedGroup: 'waymaker',
      engine: 'automatic',
      isRestore: false,
      isDisconnect: false,
      ofSystem: {
        'engine-user': 'waymaker-engine',
        'proxy-user': 'waymaker-proxy',
        'control-group': 'waymaker',
      },
    });
    expect(parseOptions(['--allow-user', '0', '--allow-user', '1000'], options).allowedUsers).toEqual([
      '0',
      '1000',
    ]);
  });

  test.each([
    ['--allow-user', 'a b'],
    ['--allow-user', '/root'],
    ['--socket', 'relative'],
    ['--engine-user', '--script'],
    ['--engine-user', 'a;b'],
    ['--unknown', 'x'],
    ['stray', ''],
  ])('refuses %s %s', (...words) => {
    expect(() => parseOptions(words, options)).toThrow();
  });
});

describe('what is kept of the log', () => {
  const record = (message: string, line: string, time = 0) => ({ level: 'info', time, message, line });

  test('is each user’s own, and nobody’s where it is about nobody', () => {
    const memory = createLogMemory();
    memory.add('1000', record('engine', 'of one', 2));
    memory.add('1000', record('probed', 'of one', 1));
    memory.add('1001', record('engine', 'of another'));
    memory.add(undefined, record('listening', 'of all'));
    expect(memory.of('1000').map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
      'probed',
      'engine',
    ]);
    expect(memory.of('1001').join()).not.toContain('of one');
    expect(memory.of('1002')).toEqual([]);
  });

  test('is bounded, and an engine that says a lot pushes out nothing but its own lines', () => {
    const memory = createLogMemory();
    memory.add('1000', record('the engine ended', ''));
    for (let index = 0; index < 1000; index += 1) memory.add('1000', record('engine', 'x'.repeat(5000)));
    const lines = memory.of('1000');
    expect(lines.join('').length).toBeLessThanOrEqual(maxReadLogChars);
    expect(lines.some((line) => line.includes('the engine ended'))).toBe(true);
  });

  test('is kept of a few users only, those that are in use', () => {
    const memory = createLogMemory();
    memory.add('first', record('a', ''));
    for (let user = 0; user < 7; user += 1) memory.add(String(user), record('a', ''));
    memory.add('first', record('b', ''));
    memory.add('last', record('a', ''));
    expect(memory.of('0')).toEqual([]);
    expect(memory.of('first')).toHaveLength(2);
  });
});

test('the log is one line for each event, causes included', () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  log.error('failed\nbadly', new Error('outer', { cause: new Error('inner') }), { kind: 'x' });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    message: 'failed\nbadly',
    kind: 'x',
    cause: expect.stringMatching(/outer[^]*caused by[^]*inner/) as string,
  });
});

describe('a probe for which there is no route', () => {
  // The kernel refuses to connect from the loopback address to another machine.
  const plan = {
    addresses: { ipv4: '127.0.0.1' },
    resolvers: [],
    needsResolver: false,
    targets: [],
    roundTripMs: 0,
  };
  const { signal } = new AbortController();

  test('finds silence, and does not end the helper', async () => {
    expect(await probeTraffic(plan, { received: () => undefined, signal })).toMatchObject({
      silent: ['ipv4'],
    });
  });

  test('does not take a packet for an answer that was only counted late, because one of the other IP version arrived', async () => {
    const early = [9];
    const received = () => ({ ipv4: early.shift() ?? 10, ipv6: 5 });
    expect(await probeTraffic(plan, { received, signal })).toMatchObject({ silent: ['ipv4'] });
  });
});
