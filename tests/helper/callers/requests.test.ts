import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helperError, helperMaxFrameBytes } from '#shared/helper/protocol.ts';
import { eventually } from '../../lab/runs/process.ts';
import { createHelperLab, childrenOf, type HelperLab } from '../support/helper-lab.ts';
import { frame, helloParams, openRaw, type RawClient } from '../support/callers/raw-client.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

const invalidParams = -32602;
const methodNotFound = -32601;

let net: HelperLab;
let before: string;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  before = await net.lab.user.snapshot();
  await net.start();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

async function afterHandshake(): Promise<RawClient> {
  const client = await openRaw(net.socket);
  await client.request('hello', helloParams);
  return client;
}

/** The helper answers others still, has started nothing, and the machine is as it was. */
async function expectUnharmed(): Promise<void> {
  const client = await afterHandshake();
  expect(await client.request('snapshot')).toMatchObject({ result: { state: 'disconnected' } });
  client.socket.destroy();
  expect(await childrenOf(net.pid())).toBe('');
  expect(await net.lab.user.snapshot()).toBe(before);
}

test('hello comes first', async () => {
  const client = await openRaw(net.socket);
  for (const method of [
    'snapshot',
    'subscribe',
    'connect',
    'disconnect',
    'statistics',
    'provideSession',
    'setAddresses',
    'holdConnection',
    'dropHeld',
    'setDeadline',
    'readLog',
    'storeLists',
  ]) {
    expect(await client.request(method, {})).toMatchObject({ error: { code: helperError.helloFirst } });
  }
  expect(await client.request('hello', helloParams)).toMatchObject({ result: { protocolVersion: 1 } });
  expect(await client.request('snapshot')).toMatchObject({ result: { state: 'disconnected' } });
  client.socket.destroy();
});

test('another protocol version is refused with the ones that are served', async () => {
  const client = await openRaw(net.socket);
  expect(await client.request('hello', { ...helloParams, protocolVersion: 2 })).toMatchObject({
    error: { code: helperError.protocolVersion, data: { supported: [1] } },
  });
  expect(await client.request('snapshot')).toMatchObject({ error: { code: helperError.helloFirst } });
  client.socket.destroy();
});

const session = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const valid = {
  gateway: { host: 'gw.waymaker.test', port: 443 },
  address: '198.51.100.2',
  session,
  routing: { mode: 'global', localNetwork: false },
  killSwitch: false,
};

const emptyPac = { mode: 'pac', routeDomains: [], blockedDomains: [] };

/** What would do something if it ever reached a shell, a command line, a file name or another program's input. */
const hostileTexts = [
  '--script=/bin/sh',
  '-oProxyCommand=touch /tmp/owned',
  '; touch /tmp/owned',
  '$(touch /tmp/owned)',
  '`touch /tmp/owned`',
  '| touch /tmp/owned',
  '/etc/passwd',
  '../../etc/passwd',
  'a\nb',
  'a\r\nX: y',
  'a\0b',
  ' ',
  '',
  '@/etc/shadow',
  'a"; flush ruleset; "',
  '‮gw',
  'x'.repeat(300),
];

describe('text fields refuse what is more than text', () => {
  type Request = readonly [method: 'connect' | 'setRouting' | 'storeLists' | 'hello', params: unknown];
  const connect = (change: object): Request => ['connect', { ...valid, ...change }];
  const hello = (change: object): Request => [
    'hello',
    { ...helloParams, client: { ...helloParams.client, ...change } },
  ];
  const names = ['example.com'];
  const places: Record<string, (text: string) => Request> = {
    'gateway.host': (text) => connect({ gateway: { ...valid.gateway, host: text } }),
    address: (text) => connect({ address: text }),
    'session.certificatePin': (text) => connect({ session: { ...session, certificatePin: text } }),
    'routing.mode': (text) => connect({ routing: { ...valid.routing, mode: text } }),
    'routing.routeDomains': (text) =>
      connect({ routing: { mode: 'pac', routeDomains: [...names, text], blockedDomains: [] } }),
    'routing.blockedDomains': (text) =>
      connect({ routing: { mode: 'pac', routeDomains: names, blockedDomains: [text] } }),
    'routeDomains of setRouting': (text) => [
      'setRouting',
      { routing: { mode: 'pac', routeDomains: [text], blockedDomains: [] } },
    ],
    'blockedDomains of setRouting': (text) => [
      'setRouting',
      { routing: { mode: 'pac', routeDomains: [], blockedDomains: [...names, text] } },
    ],
    'lists of setRouting': (text) => ['setRouting', { routing: emptyPac, lists: text }],
    'lists of connect': (text) => connect({ routing: emptyPac, lists: text }),
    'mode of lists': (text) => ['storeLists', { lists: { ...emptyPac, mode: text } }],
    'routeDomains of lists': (text) => ['storeLists', { lists: { ...emptyPac, routeDomains: [text] } }],
    'blockedDomains of lists': (text) => ['storeLists', { lists: { ...emptyPac, blockedDomains: [text] } }],
    'routeIps of lists': (text) => [
      'storeLists',
      { lists: { mode: 'ip', routeIps: ['192.0.2.0/24', text] } },
    ],
    'hello.client.name': (text) => hello({ name: text }),
    'hello.client.version': (text) => hello({ version: text }),
    'gateway.port': (text) => connect({ gateway: { ...valid.gateway, port: text } }),
    'an unknown field': (text) => connect({ script: text }),
  };
  test.each(Object.entries(places))('%s', async (_, request) => {
    const client = await openRaw(net.socket);
    if (request('')[0] !== 'hello') await client.request('hello', helloParams);
    for (const text of hostileTexts) {
      const answer = await client.request(...request(text));
      expect(answer, JSON.stringify(text)).toMatchObject({ error: { code: invalidParams } });
    }
    client.socket.destroy();
  });

  test('and do no harm', expectUnharmed);

  test.each(['Example.com', 'bücher.example', '*.example.com', 'example.com.', ' example.com', '127.0.0.1'])(
    'a name in a list is taken in canonical form alone: not %j',
    async (text) => {
      const client = await afterHandshake();
      const routing = { mode: 'pac', routeDomains: [text], blockedDomains: [] };
      expect(await client.request('setRouting', { routing })).toMatchObject({
        error: { code: invalidParams },
      });
      // In that form it is: only there is no tunnel to route.
      const taken = { ...routing, routeDomains: ['example.com', 'xn--bcher-kva.example'] };
      expect(await client.request('setRouting', { routing: taken })).toMatchObject({
        error: { code: helperError.wrongState },
      });
      client.socket.destroy();
    },
  );

  test('session.cookie refuses what no cookie can hold', async () => {
    const client = await afterHandshake();
    for (const cookie of ['a b', 'a\nb', 'a;b', 'a,b', 'a"b', 'a\\b', 'a\0b', '', 'ü', 'x'.repeat(4097)]) {
      const params = { session: { ...session, cookie } };
      for (const method of ['connect', 'provideSession']) {
        const answer = await client.request(method, method === 'connect' ? { ...valid, ...params } : params);
        expect(answer, JSON.stringify(cookie)).toMatchObject({ error: { code: invalidParams } });
      }
    }
    client.socket.destroy();
    await expectUnharmed();
  });

  test('disconnect takes no reason of the caller’s own', async () => {
    const client = await afterHandshake();
    for (const reason of hostileTexts) {
      expect(await client.request('disconnect', { reason })).toMatchObject({
        error: { code: invalidParams },
      });
    }
    client.socket.destroy();
    await expectUnharmed();
  });
});

test('methods that do not exist, and those of every object, are not found', async () => {
  const client = await afterHandshake();
  for (const method of [
    'nonsense',
    '',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    '$/x',
    'rpc.on',
  ]) {
    expect(await client.request(method, {}), method).toMatchObject({ error: { code: methodNotFound } });
  }
  client.socket.destroy();
});

test('parameters of the wrong shape are invalid', async () => {
  const client = await afterHandshake();
  for (const params of [
    [],
    [valid],
    'x',
    7,
    true,
    { ...valid, killSwitch: 'yes' },
    { ...valid, gateway: null },
  ]) {
    expect(await client.request('connect', params), JSON.stringify(params)).toMatchObject({
      error: { code: invalidParams },
    });
  }
  expect(await client.request('snapshot', { path: '/etc/shadow' })).toMatchObject({
    error: { code: invalidParams },
  });
  client.socket.destroy();
});

test.each(casesOf({ usual: [100_000], all: [100_000, 190_000] }))(
  'a list of %i bad entries is told in few words',
  async (length) => {
    const client = await afterHandshake();
    const routing = { mode: 'pac', routeDomains: Array(length).fill(''), blockedDomains: [] };
    const answer = await client.request('setRouting', { routing });
    expect(answer?.error).toBeDefined();
    expect(JSON.stringify(answer).length).toBeLessThan(1000);
    client.socket.destroy();
    await expectUnharmed();
  },
);

describe('lists that clients store', () => {
  const domains = (name: string) => ({ lists: { ...emptyPac, routeDomains: [name] } });
  const nameOf = (answer: unknown) => (answer as { result: { name: string } }).result.name;
  const route = (client: RawClient, routing: object, lists?: string) =>
    client.request('setRouting', { routing, ...(lists !== undefined && { lists }) });
  /** It was understood: only there is no tunnel to route. */
  const understood = { error: { code: helperError.wrongState } };
  const unknown = { error: { code: helperError.unknownLists } };

  test('are known to the client that stored them, until it stores others of their mode', async () => {
    const [client, another] = [await afterHandshake(), await afterHandshake()];
    const first = nameOf(await client.request('storeLists', domains('a.test')));
    const prefixes = { lists: { mode: 'ip', routeIps: ['192.0.2.0/24'] } };
    const byAddress = nameOf(await client.request('storeLists', prefixes));
    expect(nameOf(await client.request('storeLists', domains('a.test')))).toBe(first);
    expect(await route(client, emptyPac, first)).toMatchObject(understood);
    expect(await route(client, emptyPac, '0'.repeat(64))).toMatchObject(unknown);
    expect(
      await client.request('connect', { ...valid, routing: emptyPac, lists: '0'.repeat(64) }),
    ).toMatchObject(unknown);
    expect(await route(another, emptyPac, first)).toMatchObject(unknown);
    // What does not go together, or has nothing at all.
    expect(await route(client, emptyPac, byAddress)).toMatchObject({ error: { code: invalidParams } });
    const nothing = { mode: 'ip', policy: 'include', routeIps: [], localNetwork: false };
    expect(await route(client, nothing)).toMatchObject({ error: { code: invalidParams } });
    expect(await route(client, nothing, byAddress)).toMatchObject(understood);
    const second = nameOf(await client.request('storeLists', domains('b.test')));
    expect(second).not.toBe(first);
    expect(await route(client, emptyPac, first)).toMatchObject(unknown);
    expect(await route(client, nothing, byAddress)).toMatchObject(understood);
    client.socket.destroy();
    another.socket.destroy();
    await expectUnharmed();
  });

  test('are so many and so long at most, and there is room again when their client has gone', async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, afterHandshake));
    const store = (client: RawClient) => client.request('storeLists', domains('a.test'));
    const answers = [];
    for (const client of clients) answers.push(await store(client));
    const refused = { error: { code: helperError.noRoom } };
    expect(answers.filter((answer) => answer && 'result' in answer)).toHaveLength(4);
    expect(answers.slice(4)).toMatchObject([refused, refused]);
    clients[0]?.socket.destroy();
    await clients[0]?.closed;
    const waiting = clients.at(-1);
    if (!waiting) throw new Error('no client');
    await eventually('there is room again', async () => {
      const answer = await store(waiting);
      return answer && 'result' in answer ? true : undefined;
    });
    // What is stored and what is chosen may be as long as each alone, and are too long together.
    const many = (length: number, prefix: string) =>
      Array.from({ length }, (_, index) => `${prefix}${index.toString(36)}.t`);
    const name = nameOf(
      await waiting.request('storeLists', { lists: { ...emptyPac, routeDomains: many(199_999, 'a') } }),
    );
    expect(await route(waiting, { ...emptyPac, routeDomains: many(1, 'b') }, name)).toMatchObject(understood);
    expect(await route(waiting, { ...emptyPac, routeDomains: many(2, 'b') }, name)).toMatchObject({
      error: { code: invalidParams },
    });
    for (const client of clients) client.socket.destroy();
    await expectUnharmed();
  });
});

test('calls that make no sense in the present state are told so', async () => {
  const client = await afterHandshake();
  for (const [method, params] of [
    ['provideSession', { session }],
    ['statistics', {}],
  ] as const) {
    expect(await client.request(method, params)).toMatchObject({ error: { code: helperError.wrongState } });
  }
  client.socket.destroy();
});

describe('a connection that breaks the protocol is closed', () => {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'snapshot' });
  const offences: Record<string, string | Uint8Array> = {
    'a longer frame than allowed': `Content-Length: ${helperMaxFrameBytes + 1}\r\n\r\n`,
    'a length beyond all numbers': `Content-Length: ${'9'.repeat(40)}\r\n\r\n`,
    'a negative length': 'Content-Length: -1\r\n\r\n',
    'no length': `Content-Type: application/json\r\n\r\n${request}`,
    'two lengths': `Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    'a header that never ends': 'X'.repeat(300),
    'another protocol': 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'not JSON': frame('{"jsonrpc":'),
    'not UTF-8': Buffer.concat([Buffer.from('Content-Length: 2\r\n\r\n'), Buffer.from([0xff, 0xfe])]),
    'a batch': frame(`[${request}]`),
    null: frame('null'),
    'another version of JSON-RPC': frame(request.replace('2.0', '1.0')),
    'an id that is an object': frame('{"jsonrpc":"2.0","id":{},"method":"snapshot"}'),
    'a response': frame('{"jsonrpc":"2.0","id":1,"result":null}'),
    'a method that is no text': frame('{"jsonrpc":"2.0","id":1,"method":["snapshot"]}'),
  };
  test.each(Object.keys(offences))('%s', async (name) => {
    for (const client of [await openRaw(net.socket), await afterHandshake()]) {
      client.send(offences[name] ?? '');
      await client.closed;
    }
  });

  test('and does no harm', expectUnharmed);

  test('a frame of exactly the allowed length is read', async () => {
    const client = await afterHandshake();
    const head = '{"jsonrpc":"2.0","id":"r9","method":"snapshot","params":{"x":"';
    const tail = '"}}';
    client.send(frame(head + 'x'.repeat(helperMaxFrameBytes - head.length - tail.length) + tail));
    expect(await client.request('snapshot')).toMatchObject({ result: { state: 'disconnected' } });
    client.socket.destroy();
  });

  test('a greeting, or a frame, that takes too long', async () => {
    const silent = await openRaw(net.socket);
    const slow = await openRaw(net.socket);
    slow.send('Content-Length: 100\r\n\r\n{');
    const slowHeader = await afterHandshake();
    slowHeader.send('Content-');
    await Promise.all([silent.closed, slow.closed, slowHeader.closed]);
    await expectUnharmed();
  });
});

test('a request that comes one byte at a time is read all the same', async () => {
  const client = await openRaw(net.socket);
  const answer = client.request('hello', helloParams);
  await answer;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'bytes', method: 'snapshot' });
  for (const byte of Buffer.from(frame(body))) client.send(Uint8Array.of(byte));
  expect(await client.request('snapshot')).toMatchObject({ result: { state: 'disconnected' } });
  client.socket.destroy();
});

test('a user has a limited number of connections', async () => {
  const clients = await Promise.all(Array.from({ length: 40 }, () => openRaw(net.socket)));
  const closed = await Promise.race([
    Promise.all(clients.slice(32).map((client) => client.closed)).then(() => true),
    once(clients[0]?.socket ?? process, 'close').then(() => false),
  ]);
  expect(closed).toBe(true);
  for (const client of clients) client.socket.destroy();
  await Promise.all(clients.map((client) => client.closed));
  await eventually('there is room again', async () => {
    const client = await afterHandshake();
    const answer = await client.request('snapshot');
    client.socket.destroy();
    return answer;
  });
  await expectUnharmed();
});

test('a client that asks much more than it listens is let go', async () => {
  const client = await afterHandshake();
  client.socket.pause();
  const request = frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'snapshot' }));
  for (let round = 0; round < 20_000; round += 1) client.send(request);
  client.socket.resume();
  await client.closed;
  await expectUnharmed();
});

test('a hundred requests at once are answered', async () => {
  const client = await afterHandshake();
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.request('snapshot')));
  for (const answer of answers) expect(answer).toMatchObject({ result: { state: 'disconnected' } });
  client.socket.destroy();
});
