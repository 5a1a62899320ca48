import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { multistream, pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { en } from '#shared/texts/en.ts';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract } from '#shared/host/contract.ts';
import { createDesktopHost } from '../../../../src/main/desktop-host.ts';
import { createLogFile } from '../../../../src/main/diagnostics/log-file.ts';
import { problemReport } from '../../../../src/main/diagnostics/problem-report.ts';
import { createNameScrubber } from '../../../../src/main/diagnostics/scrub-names.ts';
import { connected, createTestSurroundings, type TestSurroundings } from '../support/surroundings.ts';

let around: TestSurroundings;
let directory: string;

beforeEach(async () => {
  around = await createTestSurroundings();
  directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-report-'));
});
afterEach(async () => {
  await around[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const names = {
  secrets: ['the-token', 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31'],
  homeDirectory: '/home/ada',
  userName: 'ada',
  hostName: 'adas-laptop.fritz.box',
  networks: ['Café Zürich'],
};

/** Everything that must not leave, as it comes to stand in logs. */
const secrets = [
  'ada.lovelace@example.net',
  'ada%40example.org',
  'the-token',
  'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31',
  'Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI',
  'c2VjcmV0OnNlY3JldA==',
  'hunter2-is-my-password',
  'webvpn-cookie-value',
  '271828',
  '/home/ada',
  '/Users/ada.l',
  'Users\\\\lovelace',
  '%2Fhome%2Fada',
  'adas-laptop',
  'fritz.box',
  'Café Zürich',
  '192.168.178.23',
  '203.0.113.77',
  '2001:db8:1::23',
  'fe80::1ff:fe23:4567:890a',
  '52:54:00:ab:cd:ef',
];

/** As the app and its libraries log them. */
function logSecrets(log: pino.Logger): void {
  log.warn({ err: new Error('no mail for ada.lovelace@example.net at /home/ada/.config') }, 'of an error');
  log.warn({ url: '/x?email=ada%40example.org&token=the-token' }, 'of an address');
  log.info({ headers: { authorization: 'Basic c2VjcmV0OnNlY3JldA==' } }, 'of a header');
  log.info({ password: 'hunter2-is-my-password', cookie: 'webvpn-cookie-value' }, 'of a sign-in');
  log.info('user b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31 with Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyMTI');
  log.info('the code is 271828');
  log.info('ENOENT /Users/ada.l/Library, C:\\Users\\lovelace\\AppData of adas-laptop.fritz.box, ADAS-LAPTOP');
  log.info({ ssid: 'Café Zürich' }, 'joined Café Zürich as ada');
  log.info('from 192.168.178.23 (52:54:00:ab:cd:ef) by 203.0.113.77:443 and 192.168.178.23');
  log.info('[2001:db8:1::23]:443, fe80::1ff:fe23:4567:890a%wlan0, at 14:02:33, version 1.2.3');
  log.info({ folder: 'file:///home/ada%20l/x', next: '%2Fhome%2Fada%2F' }, 'of an encoded folder');
  log.info({ line: '\u001b[31mSet-Cookie: webvpn=webvpn-cookie-value; path=/\u001b[0m' }, 'of a gateway');
  log.warn({ message: 'Login failed for hunter2-is-my-password' }, 'the gateway refused the sign-in');
}

test('nothing that is secret or somebody’s name is in a report, whichever log it came by', () => {
  const lines: string[] = [];
  const log = pino({ name: 'waymaker' }, { write: (line: string) => void lines.push(line) });
  logSecrets(log);
  const raw = lines.join('');
  for (const secret of secrets) expect(raw).toContain(secret);

  const text = problemReport({
    at: new Date(0),
    facts: { tunnel: { addresses: { ipv4: '192.168.178.23' } }, device: 'adas-laptop' },
    connectionLog: [{ at: 0, event: { kind: 'connected', server: 'Tokyo', since: 0 } }],
    appLog: lines,
    // The helper's lines are of another shape.
    helperLog: [
      ...lines,
      JSON.stringify({ level: 'info', time: 1, message: 'engine', line: 'Connected to 203.0.113.77:443' }),
      'no JSON at all, of ada.lovelace@example.net',
    ],
    names,
  });
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/\bada\b/i);
  expect(text).not.toMatch(/\p{Cc}(?<!\n)/u);
  // What it is read for is still there.
  for (const kept of [
    'Tokyo',
    'of an error',
    'engine line=Connected to',
    '14:02:33',
    'version 1.2.3',
    ':443',
  ])
    expect(text).toContain(kept);
  const [address] = /\[address \d+\]/.exec(text) ?? [];
  expect(text.split(address ?? '?').length).toBeGreaterThan(3);
});

test('a name with signs that JSON writes in another way is in no report either', () => {
  const scrub = createNameScrubber({
    ...names,
    homeDirectory: 'D:\\Homes\\CORP\\ada',
    userName: 'CORP\\ada',
    networks: ['My "Net"'],
  });
  const told = 'for CORP\\ada in D:\\Homes\\CORP\\ada\\x by My "Net"';
  const hidden = 'for [user] in [home]\\x by [network]';
  expect(scrub(told)).toBe(hidden);
  expect(JSON.parse(scrub(JSON.stringify({ told })))).toEqual({ told: hidden });
  // As in a line of a log that is in another one.
  const inner = JSON.stringify({ told });
  expect(scrub(JSON.stringify({ inner }))).toBe(JSON.stringify({ inner: JSON.stringify({ told: hidden }) }));
});

test('the connection log in a report says why, as the page does', () => {
  const text = problemReport({
    at: new Date(0),
    facts: {},
    connectionLog: [{ at: 0, event: { kind: 'ended', reason: 'gateway-unreachable' } }],
    appLog: [],
    helperLog: undefined,
    names,
  });
  expect(text).toContain(`${en['connect.failed']} – ${en['reason.gatewayUnreachable']}`);
});

test('the log on disk is this user’s only, is scrubbed already, and stays small over restarts', () => {
  const folder = path.join(directory, 'logs');
  const file = path.join(folder, 'main.log');
  const sink = createLogFile({ file, maxBytes: 20_000 });
  const log = pino({}, multistream([{ stream: sink }]));
  logSecrets(log);
  expect(readFileSync(file, 'utf8')).not.toContain('the-token');
  for (let index = 0; index < 1000; index += 1) log.info({ index }, 'line');
  const again = createLogFile({ file, maxBytes: 20_000 });
  again.write('{"msg":"of the next run"}\n');
  expect(readdirSync(folder)).toEqual(['main.1.log', 'main.log']);
  for (const name of readdirSync(folder)) {
    const { mode, size } = statSync(path.join(folder, name));
    expect([mode & 0o777, size <= 20_000]).toEqual([0o600, true]);
  }
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const kept = again.read();
  expect(kept.at(-1)).toContain('of the next run');
  expect(kept.at(-2)).toContain('"index":999');
  expect(kept.length).toBeGreaterThan(100);
});

test('a disk that takes no log ends nothing', () => {
  const sink = createLogFile({ file: path.join(import.meta.filename, 'main.log') });
  expect(() => sink.write('line\n')).not.toThrow();
  expect(sink.read()).toEqual([]);
});

test('whole words only are taken for names, and nobody’s are kept', () => {
  const scrub = createNameScrubber({ ...names, userName: 'root', hostName: 'a', homeDirectory: '/' });
  expect(scrub('root at 127.0.0.1 and ::1, a cat')).toBe('root at 127.0.0.1 and ::1, a cat');
  expect(createNameScrubber(names)('Canada, ada')).toBe('Canada, [user]');
});

test('a page gets the helper’s lines with the app’s, and saves what it displayed under the user’s words', async () => {
  around.helper.log = [JSON.stringify({ level: 'info', time: 1, message: 'the way has changed' })];
  around.files.appLog = () => ['{"level":30,"time":1,"msg":"by ada@example.net"}'];
  const core = around.startCore();
  await core.session.load();
  around.helper.set(connected);
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual(connected));
  const saved: [string, string][] = [];
  const server = createDesktopHost({
    core,
    openExternal: () => Promise.resolve(false),
    openAppView: () => Promise.resolve(false),
    openAppLink: () => Promise.resolve(false),
    saveText(name, text) {
      saved.push([name, text]);
      return Promise.resolve('saved');
    },
    emit: () => undefined,
  });
  const host = createHostClient(hostContract, {
    request: (channel, input) => server.handle(channel, input),
    subscribe: () => () => undefined,
  });
  // Nothing has been displayed.
  expect(await host.problemReport.save({ description: '' })).toBe('failed');
  const text = await host.problemReport.make();
  expect(text).toContain('the way has changed');
  expect(text).toContain('by [scrubbed]');
  expect(text).toContain('Connected to 127.0.0.1');
  expect(text).not.toContain('b1b0a7fa');
  expect(await host.problemReport.save({ description: ' It hangs. ' })).toBe('saved');
  expect(saved).toEqual([
    [
      expect.stringMatching(/^waymaker-report-\d{4}-\d\d-\d\d\.txt$/),
      `== What happened ==\nIt hangs.\n\n${text}`,
    ],
  ]);
});

test('an older helper is not asked, and one that hangs does not keep the report', async () => {
  const core = around.startCore();
  await core.routingModes();
  expect(await core.problemReport()).toContain('(the helper gives none)');
  expect(around.helper.calls.some(({ method }) => method === 'readLog')).toBe(false);
});
