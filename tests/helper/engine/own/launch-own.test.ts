import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineOptions, GivenConfiguration } from '../../../../helper/engine/engine-port.ts';
import { launchHolding, launchOwn } from '../../../../helper/engine/own/launch-own.ts';
import { createSecretFile } from '../../../../helper/linux/programs/secret-file.ts';
import { createLog } from '../../../../helper/log.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';

/** What the helper makes of an engine that somebody on the network has taken over. */

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-engine-'));
});
afterAll(() => rm(directory, { recursive: true }));

let count = 0;

/** Writes a program for the engine's place; `script` can use `say(method, params)`, `request(params)` and `raw(text)`. */
async function write(script: string): Promise<string> {
  count += 1;
  const file = path.join(directory, `engine-${count}.mjs`);
  await writeFile(
    file,
    `import { Socket } from 'node:net';
const control = new Socket({ fd: 3 });
const raw = (text) => control.write(text);
const frame = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  raw('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body);
};
const say = (method, params) => frame({ method, params });
let id = 0;
const request = (params) => frame({ id: ++id, method: 'configuration', params });
const configuration = { ipv4: '192.0.2.7', servers: [], searchDomains: [] };
const terms = { splitDns: [], attributes: [] };
control.on('error', () => {});
setInterval(() => {}, 1000);
control.on('data', () => {});
${script}
`,
  );
  return file;
}

/** What an engine is started with, whatever for. */
const place = (file: string, lines: string[]) => ({
  gateway: { host: 'vpn.example', port: 443 },
  address: '192.0.2.1',
  otherAddresses: ['192.0.2.2'],
  proxy: undefined,
  device: {
    name: 'wm0',
    packetHeader: 'virtio' as const,
    open() {
      const device = openSync('/dev/null', 'r+');
      let isOpen = true;
      const close = () => {
        if (isOpen) closeSync(device);
        isOpen = false;
      };
      return { inherited: device, attach: () => undefined, close };
    },
  },
  ownProgram: () => ({ file: process.execPath, args: [file], environment: {} }),
  secretFile: () => expect.fail('no file'),
  log: createLog((line: string) => lines.push(line)),
});

/** Starts it, to carry a tunnel. */
async function launch(script: string, changes: Partial<EngineOptions> = {}) {
  const told: unknown[] = [];
  const lines: string[] = [];
  const engine = launchOwn({
    ...place(await write(script), lines),
    session: { cookie: 'webvpn=secret', certificatePin: 'pin-sha256:AAAA' },
    mtu: undefined,
    linkMtu: () => Promise.resolve(1_500),
    wantsPushedRoutes: false,
    roundTripMs: 0,
    unprivileged: () => expect.fail('not this one'),
    onBegun: () => told.push('begun'),
    onReached: () => told.push('reached'),
    onConfiguration(given: GivenConfiguration) {
      told.push(given);
      return Promise.resolve(true);
    },
    onTerms: (terms) => told.push(terms),
    onGoodbye: (text) => told.push(text),
    onTransport: (transport) => told.push(transport),
    onUnreachable: (cause) => told.push(cause),
    onEncryption: (...encryption) => told.push(encryption),
    ...changes,
  });
  return { engine, told, log: () => lines.join('') };
}

describe('a program is ended at once:', () => {
  test.each([
    ['what is no frame', `raw('GET / HTTP/1.1\\r\\n\\r\\n')`],
    ['a header without end', `raw('A'.repeat(300))`],
    ['a frame that is too long', `raw('Content-Length: 70000\\r\\n\\r\\n')`],
    ['a method that nobody knows', `say('open', {})`],
    ['a request that nobody knows', `frame({ id: 1, method: 'open', params: {} })`],
    ['a transport that nobody knows', `say('transport', { transport: 'tcp' })`],
    [
      'a cipher with other characters',
      `say('encryption', { transport: 'tls', encryption: { protocol: 'TLS 1.3', cipher: '<b>' } })`,
    ],
    ['too many resolvers', `request({ ...configuration, servers: Array(17).fill('192.0.2.1') })`],
    ['a limit before its time', `say('terms', { ...terms, sessionSeconds: -1 })`],
    ['a message without end', `say('terms', { ...terms, message: 'a'.repeat(4_001) })`],
    ['too many domains', `say('terms', { ...terms, splitDns: Array(65).fill('a.example') })`],
    [
      'an attribute with another name',
      `say('terms', { ...terms, attributes: [{ name: '../a', value: 'b' }] })`,
    ],
    ['something else in a configuration', `request({ ...configuration, command: 'reboot' })`],
    ['an address that nobody has given it', `say('reached', { address: '192.0.2.3' })`],
    ['two beginnings', `say('begun', {}); say('begun', {})`],
    ['two connections that are gone', `say('unheld', {}); say('unheld', {})`],
    ['too many notes', `for (let i = 0; i < 301; i += 1) say('note', { text: 'a' })`],
    ['an end that nobody knows', `say('ended', { end: 'well' })`],
    ['a goodbye without end', `say('ended', { end: 'failed', goodbye: 'a'.repeat(201) })`],
  ])('%s', async (_what, script) => {
    const { engine, log, told } = await launch(script);
    expect(await engine.ended).toBe('failed');
    expect(log()).toContain('misbehaves');
    expect(told.filter((one) => one !== undefined).length).toBeLessThanOrEqual(1);
  });
});

test('a program is ended if it begins while it only holds a connection', async () => {
  const lines: string[] = [];
  const { gone } = launchHolding({
    ...place(await write(`say('begun', {})`), lines),
    trust: { certificatePin: 'pin-sha256:AAAA' },
  });
  await gone;
  expect(lines.join('')).toContain('before it carries a tunnel: begun');
});

test('a connection that was held is gone at once, although its program takes a while to end', async () => {
  const lines: string[] = [];
  const { gone } = launchHolding({
    ...place(await write(`say('note', { text: 'pid ' + process.pid }); say('unheld', {})`), lines),
    trust: { certificatePin: 'pin-sha256:AAAA' },
  });
  await gone;
  const [, pid] = /pid (\d+)/.exec(lines.join('')) ?? [];
  // As long as this process has not learned of its end, it has its number.
  expect(existsSync(`/proc/${pid}`)).toBe(true);
});

test('a program is ended if it does not wait until it is configured', async () => {
  const { engine, log } = await launch('request(configuration); request(configuration)', {
    onConfiguration: () => new Promise(() => undefined),
  });
  expect(await engine.ended).toBe('failed');
  expect(log()).toContain('too many requests at once');
});

test('what it says is passed on, and nothing after its end', async () => {
  const { engine, told } = await launch(`
    say('begun', {});
    say('reached', { address: '192.0.2.2' });
    say('encryption', { transport: 'tls', encryption: { protocol: 'TLS 1.3', cipher: 'AES-256-GCM' } });
    say('transport', { transport: 'dtls' });
    say('terms', { ...terms, idleSeconds: 60 });
    say('unreachable', { cause: 'gateway-tls-failed' });
    say('ended', { end: 'connection-lost' });
    say('transport', { transport: 'tls' });
  `);
  expect(await engine.ended).toBe('connection-lost');
  expect(told).toEqual([
    'begun',
    'reached',
    ['tls', { protocol: 'TLS 1.3', cipher: 'AES-256-GCM' }],
    'dtls',
    { idleSeconds: 60, splitDns: [], attributes: [] },
    'gateway-tls-failed',
  ]);
});

test('a configuration that cannot be applied ends it, others are answered one after the other', async () => {
  const script = `
    control.on('data', (bytes) => {
      if (bytes.includes('isApplied')) request({ ...configuration, ipv4: '192.0.2.' + (id + 7) });
    });
    request(configuration);
  `;
  const given: (string | undefined)[] = [];
  const { engine } = await launch(script, {
    onConfiguration({ ipv4 }) {
      given.push(ipv4);
      return Promise.resolve(given.length < 3);
    },
  });
  expect(await engine.ended).toBe('configuration-failed');
  expect(given).toEqual(['192.0.2.7', '192.0.2.8', '192.0.2.9']);
});

test('the gateway’s last words are passed on once, before the end and without the session’s cookie', async () => {
  const { engine, told } = await launch(`
    say('ended', { end: 'session-refused', goodbye: 'Ended webvpn=secret by an administrator' });
    say('ended', { end: 'failed', goodbye: 'Again' });
  `);
  expect(await engine.ended).toBe('session-refused');
  expect(told).toEqual(['Ended [cookie] by an administrator']);
});

test('the session’s cookie reaches the engine, and no log', async () => {
  const { engine, log } = await launch(`
    control.on('data', (bytes) => {
      const [cookie] = /webvpn=[a-z]+/.exec(bytes.toString()) ?? ['none'];
      console.error('printed ' + cookie);
      say('note', { text: 'noted ' + cookie });
      setTimeout(() => say('ended', { end: 'failed' }), 50);
    });
  `);
  engine.release();
  await engine.ended;
  expect(log()).toContain('printed [cookie]');
  expect(log()).toContain('noted [cookie]');
  expect(log()).not.toContain('secret');
});

test('a client certificate is inherited in sealed memory, and not told', async () => {
  const clientCertificate = { certificate: 'the certificate', key: 'the key that nobody else gets' };
  const { engine, log } = await launch(
    `
    const { readFileSync } = await import('node:fs');
    let text = '';
    control.on('data', (bytes) => {
      text += bytes;
      if (!text.includes('"start"')) return;
      const { key } = JSON.parse(readFileSync('/proc/self/fd/5', 'utf8'));
      say('note', { text: key.length + ' chars are there, on the socket ' + text.includes(key) });
      setTimeout(() => say('ended', { end: 'failed' }), 50);
    });
  `,
    {
      session: { cookie: 'webvpn=secret', certificatePin: 'pin-sha256:AAAA', clientCertificate },
      secretFile: createSecretFile,
    },
  );
  engine.release();
  await engine.ended;
  expect(log()).toContain(`${clientCertificate.key.length} chars are there, on the socket false`);
});

test('a program that ends by itself has failed, or not started if it said nothing, or is absent if it cannot run', async () => {
  const spoken = await launch(`say('note', { text: 'a' }); setTimeout(() => process.exit(3), 50)`);
  expect(await spoken.engine.ended).toBe('failed');
  expect(await (await launch('process.exit(3)')).engine.ended).toBe('not-started');
  expect(await (await launch('process.exit(127)')).engine.ended).toBe('absent');
  const nowhere = { file: '/nonexistent', args: [], environment: {} };
  expect(await (await launch('', { ownProgram: () => nowhere })).engine.ended).toBe('absent');
});

test('a program that has said something before it ended has started, also for who was busy until after that', async () => {
  const pidFile = path.join(directory, 'pid');
  const { engine } = await launch(`
    const { writeFileSync } = await import('node:fs');
    writeFileSync('${pidFile}', String(process.pid));
    say('note', { text: 'a' });
    setTimeout(() => process.exit(3), 50);
  `);
  // This process stands still meanwhile, so that it learns of both at once.
  const hasEnded = `grep -q '^State:[[:space:]]*Z' "/proc/$(cat ${pidFile})/status"`;
  const untilEnded = `until ${hasEnded}; do sleep 0.02; done`;
  execFileSync('sh', ['-c', untilEnded], { timeout: waitLimit(15_000), stdio: 'ignore' });
  expect(await engine.ended).toBe('failed');
});

test('a program that has closed its socket before it has said anything has not started', async () => {
  const { engine } = await launch('control.destroy()');
  engine.release();
  expect(await engine.ended).toBe('not-started');
});

test('a program that does not say goodbye is ended all the same', async () => {
  const { engine } = await launch('');
  engine.release();
  await engine.stop();
  expect(await engine.ended).toBe('failed');
});

test('a program that is ended while it waits means that the gateway has not answered, and before that has failed', async () => {
  const { promise: hasBegun, resolve: onBegun } = Promise.withResolvers<void>();
  const waiting = await launch(`say('begun', {})`, { onBegun });
  waiting.engine.release();
  await hasBegun;
  waiting.engine.kill();
  expect(await waiting.engine.ended).toBe('gateway-unreachable');
  const starting = await launch('');
  starting.engine.release();
  starting.engine.kill();
  expect(await starting.engine.ended).toBe('failed');
});

test('an engine that has ended, or is about to end, can be told to stop', async () => {
  const killed = await launch('');
  killed.engine.kill();
  // The socket to it has closed by then, and its end need not have been noticed.
  await new Promise((resolve) => setImmediate(resolve));
  await killed.engine.stop();
  const crashed = await launch('process.exit(3)');
  await crashed.engine.ended;
  await crashed.engine.stop();
  expect(await crashed.engine.ended).toBe('not-started');
});

test('a program that is ended after the gateway has answered has failed', async () => {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const late = await launch(`say('begun', {}); say('reached', { address: '192.0.2.1' })`, {
    onReached: () => resolve(),
  });
  await reached;
  late.engine.kill();
  expect(await late.engine.ended).toBe('failed');
});
