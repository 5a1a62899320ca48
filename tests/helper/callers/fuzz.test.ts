import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helperMethods, type HelperMethodName } from '#shared/helper/protocol.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, childrenOf, type HelperLab } from '../support/helper-lab.ts';
import { frame, helloParams, openRaw, type RawClient } from '../support/callers/raw-client.ts';

/**
 * Thousands of inputs over the real socket: bytes, well-framed JSON-RPC of all kinds, and requests that are nearly
 * right. None of them is one that a helper may act on.
 */
const runs = isExhaustive
  ? ({ bytes: 2_500, messages: 4_000, nearMisses: 4_500 } as const)
  : ({ bytes: 60, messages: 120, nearMisses: 240 } as const);

let net: HelperLab;
let before: string;
let faults: number;
let current: RawClient | undefined;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  before = await net.lab.user.snapshot();
  await net.start();
  faults = await faultsOfChildren();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

/**
 * Page faults of all children that the helper has waited for (proc_pid_stat(5), `cminflt`): no program can run
 * without some, so the same number means that none was started.
 */
async function faultsOfChildren(): Promise<number> {
  const stat = await readFile(`/proc/${net.pid()}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8]);
}

async function afterHandshake(): Promise<RawClient> {
  if (current && !current.socket.closed) return current;
  current = await openRaw(net.socket);
  await current.request('hello', helloParams);
  return current;
}

async function expectUnharmed(): Promise<void> {
  const client = await openRaw(net.socket);
  await client.request('hello', helloParams);
  expect(await client.request('snapshot')).toMatchObject({ result: { state: 'disconnected' } });
  client.socket.destroy();
  expect(await childrenOf(net.pid())).toBe('');
  expect(await faultsOfChildren()).toBe(faults);
  expect(await net.lab.user.snapshot()).toBe(before);
}

const methodNames = Object.keys(helperMethods) as HelperMethodName[];

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '--script=/bin/sh',
    '$(id)',
    '`id`',
    ';id',
    '|id',
    '../../etc/shadow',
    '/etc/passwd',
    '-c',
    '\n',
    '\0',
  ),
);

/** Random bytes, whole or broken frames, and what looks like a beginning of one. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }),
  fc.string({ unit: 'binary', maxLength: 500 }).map((text) => frame(text)),
  fc.tuple(fc.integer(), hostileText).map(([length, text]) => `Content-Length: ${length}\r\n\r\n${text}`),
  fc.tuple(hostileText, hostileText).map(([name, value]) => `${name}: ${value}\r\n\r\n{}`),
  fc.json({ maxDepth: 3 }).map(frame),
  fc.json({ maxDepth: 3 }).map((text) => frame(text).slice(0, -1)),
);

/** Valid frames: any method, known or not, with any parameters but those its schema takes. */
const message = fc
  .record({
    method: fc.oneof(
      fc.constantFrom(...methodNames),
      hostileText,
      fc.constantFrom('__proto__', 'constructor'),
    ),
    params: fc.anything({ values: [hostileText, fc.double(), fc.boolean()], maxDepth: 3 }),
  })
  .filter(({ method, params }) => !isTaken(method, params));

function isTaken(method: string, params: unknown): boolean {
  if (!methodNames.some((name) => name === method)) return false;
  const sent: unknown = params === undefined ? undefined : JSON.parse(JSON.stringify(params) ?? 'null');
  return helperMethods[method as HelperMethodName].params.safeParse(sent ?? {}).success;
}

const session = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const connectRequest = {
  gateway: { host: 'gw.waymaker.test', port: 443 },
  address: '198.51.100.2',
  session,
  routing: { mode: 'global', localNetwork: false },
  killSwitch: false,
};
const pac = { mode: 'pac', routeDomains: ['example.com', 'example.org'], blockedDomains: ['ads.example'] };
const nearly = [
  { method: 'hello', params: helloParams },
  { method: 'connect', params: connectRequest },
  { method: 'connect', params: { ...connectRequest, routing: pac } },
  { method: 'setRouting', params: { routing: connectRequest.routing } },
  { method: 'setRouting', params: { routing: pac } },
  { method: 'storeLists', params: { lists: { ...pac, routeDomains: ['example.com'] } } },
  { method: 'setRouting', params: { routing: pac, lists: '0'.repeat(64) } },
  { method: 'provideSession', params: { session } },
  { method: 'setAddresses', params: { otherAddresses: ['198.51.100.3'] } },
  {
    method: 'holdConnection',
    params: {
      gateway: connectRequest.gateway,
      address: '198.51.100.2',
      otherAddresses: ['198.51.100.3'],
      trust: { certificatePin: session.certificatePin },
    },
  },
  { method: 'dropHeld', params: {} },
  { method: 'openGatewayStream', params: {} },
  { method: 'openPortal', params: { forMs: 1000 } },
  { method: 'closePortal', params: {} },
  { method: 'setDeadline', params: { deadline: { at: 1, reason: 'plan-ended' } } },
  { method: 'disconnect', params: { reason: 'trial-ended' } },
];

/** A path to every value inside an object, itself included. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    const items = value as unknown[];
    // Of an array, JSON has nothing but the items.
    return Number(key) in items
      ? items.with(Number(key), replaceAt(items[Number(key)], rest, by))
      : [...items, by];
  }
  return { ...(value as object), [key]: replaceAt((value as Record<string, unknown>)[key], rest, by) };
}

/** A right request with one value replaced, or with one more. */
const nearMiss = fc
  .constantFrom(...nearly)
  .chain(({ method, params: right }) =>
    fc.record({
      method: fc.constant(method),
      params: fc
        .tuple(
          fc.constantFrom(...pathsOf(right)),
          fc.option(hostileText, { nil: undefined }),
          fc.oneof(
            hostileText,
            fc.integer(),
            fc.double(),
            fc.constant(null),
            fc.array(fc.integer()),
            fc.object(),
          ),
        )
        .map(([path, extra, by]) => replaceAt(right, extra === undefined ? path : [...path, extra], by)),
    }),
  )
  .filter(({ method, params }) => !isTaken(method, params));

/** The answer to a request that must not be acted on: an error, or a closed connection. */
async function expectRefused({ method, params }: { method: string; params: unknown }): Promise<void> {
  const client = await afterHandshake();
  const answer = await client.request(method, params);
  if (answer) expect(answer).toMatchObject({ error: { code: expect.any(Number) as number } });
}

test('arbitrary bytes', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, async (input) => {
      const client = await openRaw(net.socket);
      client.send(input);
      client.socket.end();
      await client.closed;
    }),
    { numRuns: runs.bytes },
  );
  await expectUnharmed();
});

test('arbitrary JSON-RPC', async () => {
  await fc.assert(fc.asyncProperty(message, expectRefused), { numRuns: runs.messages });
  await expectUnharmed();
});

test('requests that are nearly right', async () => {
  await fc.assert(fc.asyncProperty(nearMiss, expectRefused), { numRuns: runs.nearMisses });
  await expectUnharmed();
});

test('the observation notices a program that is started', async () => {
  const client = await afterHandshake();
  // Right in form: the gateway is not there, so the helper tries, gives up and puts everything back.
  await client.request('connect', connectRequest);
  await client.request('disconnect', {});
  expect(await faultsOfChildren()).toBeGreaterThan(faults);
  expect(await net.lab.user.snapshot()).toBe(before);
});
