import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { isExhaustive } from '../../../lab/runs/thoroughness.ts';
import { createHttpProxy } from '../../../../helper/proxy/http-proxy.ts';
import { servePacFile } from '../../../../helper/proxy/serve-pac-file.ts';
import { createClientLab, readAll, readUntil, type ClientLab } from './client-lab.ts';

/** Of what origins and clients may do. */
const numRuns = isExhaustive ? 1000 : 150;

let lab: ClientLab | undefined;

afterEach(async () => {
  await lab?.[Symbol.asyncDispose]();
});

const pac = { paths: new Set(['/abc.pac']), text: 'function FindProxyForURL() {}' };

async function labOf(origin: Server): Promise<ClientLab> {
  let proxy: ReturnType<typeof createHttpProxy> | undefined;
  lab = await createClientLab(origin, (client, opening, { open }) => {
    proxy ??= createHttpProxy({
      open,
      serveOwn: (request, response) => servePacFile(request, response, pac),
    });
    proxy.serve(client, opening);
  });
  return lab;
}

/** An origin that tells what it got, fields and all. */
function mirror(): Server {
  return createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, rawHeaders } = request;
      response.sendDate = false;
      response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() }));
    });
  });
}

interface Mirrored {
  method: string;
  url: string;
  rawHeaders: string[];
  body: string;
}

async function exchange(text: string): Promise<string> {
  const client = await (lab as ClientLab).connect();
  const all = readAll(client);
  client.write(text, 'latin1');
  return all;
}

async function mirrored(text: string): Promise<Mirrored> {
  await labOf(mirror());
  const response = await exchange(text);
  const json = /\{.*\}/s.exec(response)?.[0];
  if (json === undefined) throw new Error(response);
  return JSON.parse(json) as Mirrored;
}

describe('a request in absolute form', () => {
  test('reaches the origin as it is, without what was for the proxy', async () => {
    const got = await mirrored(
      [
        'GET http://A.test:8080/a/../b/%7e?q=1|2 HTTP/1.1',
        'Host: somebody.else',
        'X-Twice: 1',
        'x-twice: 2',
        'Proxy-Connection: keep-alive',
        'Proxy-Authorization: Basic abc',
        'Connection: keep-alive, X-Hop',
        'X-Hop: 1',
        'TE: trailers',
        'Upgrade: h2c',
        'Keep-Alive: 5',
        '\r\n',
      ].join('\r\n'),
    );
    expect(got).toEqual({
      method: 'GET',
      url: '/a/../b/%7e?q=1|2',
      rawHeaders: ['Host', 'A.test:8080', 'X-Twice', '1', 'x-twice', '2', 'Connection', 'close'],
      body: '',
    });
    expect(lab?.asked).toEqual([{ host: { kind: 'name', name: 'a.test' }, port: 8080 }]);
  });

  test.each([
    ['http://a.test', '/'],
    ['http://a.test?x', '/?x'],
    ['HTTP://a.test/', '/'],
  ])('%s asks for %s', async (target, url) => {
    expect(await mirrored(`GET ${target} HTTP/1.1\r\nHost: a.test\r\n\r\n`)).toMatchObject({ url });
  });

  test('about the server as a whole', async () => {
    expect(await mirrored('OPTIONS http://a.test HTTP/1.1\r\nHost: a\r\n\r\n')).toMatchObject({ url: '*' });
  });

  test.each(['POST', 'GET', 'DELETE', 'OPTIONS'])('%s with a body in chunks', async (method) => {
    const got = await mirrored(
      `${method} http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
    );
    expect(got.body).toBe('abcde');
    expect(got.rawHeaders).toContain('chunked');
  });

  test.each(['POST', 'GET'])('%s with a body of a known length', async (method) => {
    const got = await mirrored(
      `${method} http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nabcde`,
    );
    expect(got.body).toBe('abcde');
    expect(got.rawHeaders).not.toContain('chunked');
  });

  test('a POST without a body says so', async () => {
    const got = await mirrored('POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n');
    expect(got.rawHeaders).toEqual(['Host', 'a.test', 'Connection', 'close', 'Content-Length', '0']);
  });

  test('a client that waits for a word before its body gets the one of the origin', async () => {
    const origin = createHttpServer();
    let asked = false;
    origin.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      asked = request.headers.expect === '100-continue';
      response.writeContinue();
      request.pipe(response);
    });
    await labOf(origin);
    const client = await (lab as ClientLab).connect();
    client.write(
      'PUT http://a.test/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n',
    );
    await readUntil(client, '100 Continue\r\n\r\n');
    expect(asked).toBe(true);
    const rest = readAll(client);
    client.write('body');
    expect(await rest).toContain('body');
  });

  test.each([
    ['https in absolute form', 'GET https://a.test/ HTTP/1.1', 400],
    ['another scheme', 'GET ftp://a.test/ HTTP/1.1', 400],
    ['credentials', 'GET http://u:p@a.test/ HTTP/1.1', 400],
    ['no host', 'GET http:///x HTTP/1.1', 400],
    ['no port', 'GET http://a.test:0/ HTTP/1.1', 400],
    ['an odd address', 'GET http://127.1/ HTTP/1.1', 400],
    ['TRACE', 'TRACE http://a.test/ HTTP/1.1', 405],
    ['CONNECT without a port', 'CONNECT a.test HTTP/1.1', 400],
    ['CONNECT to nothing', 'CONNECT :443 HTTP/1.1', 400],
    ['two lengths', 'GET http://a.test/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked', 400],
    ['a head that is too long', `GET http://a.test/ HTTP/1.1\r\nX: ${'x'.repeat(16 * 1024)}`, 431],
    ['a target that is too long', `GET http://a.test/${'x'.repeat(16 * 1024)} HTTP/1.1`, 431],
    [
      'a length for this hop only',
      'POST http://a.test/ HTTP/1.1\r\nContent-Length: 1\r\nConnection: close, Content-length',
      400,
    ],
    ['no HTTP', 'hello', 400],
  ])('%s is refused', async (_what, head, status) => {
    await labOf(mirror());
    expect(await exchange(`${head}\r\nHost: a.test\r\n\r\n`)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(lab?.asked).toEqual([]);
  });

  test('a second one behind the first is not served', async () => {
    await labOf(mirror());
    const one = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n';
    expect(await exchange(`${one}${one}`)).toMatch(/^Connection: close\r$/im);
    expect(lab?.asked).toHaveLength(1);
  });

  test.each([
    ['forbidden', 403],
    ['name-not-found', 502],
    ['connection-refused', 502],
    ['timed-out', 504],
  ] as const)('%s is status %i, for CONNECT too', async (failure, status) => {
    (await labOf(mirror())).answer = failure;
    const pattern = new RegExp(`^HTTP/1.1 ${status} `);
    expect(await exchange('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n')).toMatch(pattern);
    expect(await exchange('CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n')).toMatch(pattern);
  });
});

describe('a response', () => {
  /** An origin that sends these bytes to whoever asks, and closes or resets. */
  const saying = (text: string, end: 'end' | 'resetAndDestroy' = 'end') =>
    createServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(text, 'latin1');
        void delay(20).then(() => socket[end]());
      });
    });
  const get = 'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n';

  test('comes as it is, without what was for the proxy', async () => {
    await labOf(
      saying(
        'HTTP/1.1 299 Fine\xe9\r\nSet-Cookie: a\r\nset-cookie: b\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 2\r\n\r\nok',
      ),
    );
    expect(await exchange(get)).toBe(
      'HTTP/1.1 299 Fine\xe9\r\nSet-Cookie: a\r\nset-cookie: b\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
    );
  });

  test.each([
    ['a space before a colon', 'HTTP/1.1 200 OK\r\nServer : x\r\nContent-Length\t : 2\r\n\r\nok'],
    ['lines that end with LF alone', 'HTTP/1.1 200 OK\nServer: x\nContent-Length: 2\n\nok'],
    ['line ends of both kinds', 'HTTP/1.1 200 OK\nServer: x\r\nContent-Length : 2\n\r\nok'],
    [
      'an interim response before it',
      'HTTP/1.1 103 Early Hints\nLink : </a>\n\nHTTP/1.1 200 OK\nServer: x\nContent-Length: 2\n\nok',
    ],
  ])('%s is repaired on the way, however it is cut', async (_what, text) => {
    const repaired = 'HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
    await labOf(saying(text));
    expect(await exchange(get)).toBe(repaired);
    await lab?.[Symbol.asyncDispose]();
    await labOf(
      createServer({ noDelay: true }, (socket) => {
        const dribble = async () => {
          for (const byte of Buffer.from(text)) {
            socket.write(Buffer.of(byte));
            await setImmediate();
          }
          socket.end();
        };
        socket.once('data', () => void dribble());
      }),
    );
    expect(await exchange(get)).toBe(repaired);
  });

  test('a body is never changed', async () => {
    const body = 'HTTP/1.1 200 OK\nServer : x\n\n\xff'.repeat(20_000);
    await labOf(saying(`HTTP/1.1 200 OK\nContent-Length: ${body.length}\n\n${body}`));
    const answer = await exchange(get);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4) === body).toBe(true);
  });

  test('of an origin that is gone reaches a client that takes its time', async () => {
    const body = Buffer.alloc(8_000_000, 'x');
    const gone = Promise.withResolvers<void>();
    await labOf(
      createServer((socket) => {
        socket.once('data', () => socket.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\n\n'), body])));
        socket.once('close', () => gone.resolve());
      }),
    );
    const client = await (lab as ClientLab).connect();
    client.write(get);
    await once(client, 'readable');
    await Promise.race([gone.promise, delay(500)]);
    expect((await readAll(client)).replaceAll(/[^x]/g, '')).toHaveLength(body.length);
  });

  test('that ends with its connection comes in chunks, so that its end can be seen', async () => {
    await labOf(saying('HTTP/1.0 200 OK\r\n\r\nall of it'));
    expect(await exchange(get)).toMatch(/chunked\r\n\r\n9\r\nall of it\r\n0\r\n\r\n$/);
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['nothing', ''],
    ['two lengths with spaces', 'HTTP/1.1 200 OK\r\nContent-Length : 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a name with a space', 'HTTP/1.1 200 OK\r\nSer ver : x\r\nContent-Length: 0\r\n\r\n'],
    ['a head that ends too early', 'HTTP/1.1 200 OK\nServer: x'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    [
      'a length for this hop only',
      'HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 1\r\n\r\nx',
    ],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['an impossible status', 'HTTP/1.1 099 Odd\r\n\r\n'],
    ['a status of zero', 'HTTP/1.1 000 Odd\r\n\r\n'],
    ['a control character', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['an odd field', 'HTTP/1.1 200 OK\r\nX: \x01\r\nContent-Length: 0\r\n\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300 * 1024)}\r\n\r\n`],
  ])('%s is a bad gateway', async (_what, text) => {
    await labOf(saying(text));
    expect(await exchange(get)).toMatch(/^HTTP\/1.1 502 /);
  });

  test('that is cut off does not look complete', async () => {
    await labOf(saying('HTTP/1.1 200 OK\r\n\r\nhalf', 'resetAndDestroy'));
    const client = await (lab as ClientLab).connect();
    const failed = new Promise((resolve) => client.once('error', resolve));
    client.write(get);
    expect(await readUntil(client, 'half')).not.toMatch(/\r\n0\r\n/);
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
  });

  test('nobody waits for any more lets the origin go', async () => {
    const gone = Promise.withResolvers<void>();
    await labOf(
      createHttpServer((request, response) => {
        response.write('begin');
        request.socket.once('close', () => gone.resolve());
      }),
    );
    const client = await (lab as ClientLab).connect();
    client.write(get);
    await readUntil(client, 'begin');
    client.destroy();
    await gone.promise;
  });
});

describe('CONNECT', () => {
  const head = 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n';
  const established = 'HTTP/1.1 200 Connection established\r\n\r\n';
  const echo = () => createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));

  test('carries what follows, also if it came with it', async () => {
    await labOf(echo());
    const client = await (lab as ClientLab).connect();
    client.end(`${head}\x16\x03\x01 and more`, 'latin1');
    expect(await readAll(client)).toBe(`${established}\x16\x03\x01 and more`);
    expect(lab?.asked).toEqual([{ host: { kind: 'name', name: 'a.test' }, port: 443 }]);
  });

  test('byte by byte', async () => {
    await labOf(echo());
    const client = await (lab as ClientLab).connect();
    client.setNoDelay(true);
    const answer = readUntil(client, 'hello');
    for (const character of `${head}hello`) {
      client.write(character);
      await delay(1);
    }
    expect(await answer).toBe(`${established}hello`);
  });
});

test('nothing that an origin says breaks the proxy', async () => {
  let say: Uint8Array = Buffer.alloc(0);
  const origin = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(say));
  });
  await labOf(origin);
  const text = (unit: 'binary' | 'binary-ascii') => fc.string({ unit, maxLength: 40 });
  const statusLine = fc
    .tuple(fc.integer({ min: 0, max: 999 }), text('binary-ascii'), text('binary'), text('binary'))
    .map(([status, reason, field, body]) =>
      Buffer.from(
        `HTTP/1.1 ${String(status).padStart(3, '0')} ${reason}\r\nX: ${field}\r\n\r\n${body}`,
        'latin1',
      ),
    );
  await fc.assert(
    fc.asyncProperty(fc.oneof(statusLine, fc.uint8Array({ maxLength: 200 })), async (bytes) => {
      say = bytes;
      expect(await exchange('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n')).toMatch(/^HTTP\/1.1 /);
    }),
    { numRuns },
  );
});

test('clients may go away at any moment', async () => {
  await labOf(mirror());
  const requests = [
    'GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n',
    'POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\nabc',
    'CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...requests),
      fc.integer({ min: 0, max: 5 }),
      fc.constantFrom('end', 'destroy', 'resetAndDestroy'),
      async (request, turns, way) => {
        const client = await (lab as ClientLab).connect();
        client.resume().write(request);
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        client[way]();
      },
    ),
    { numRuns },
  );
  expect(await exchange('GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

describe('the PAC file', () => {
  const port = (client: Socket) => client.remotePort ?? 0;

  async function ask(line: string, host: (port: number) => string): Promise<string> {
    await labOf(mirror());
    const client = await (lab as ClientLab).connect();
    const all = readAll(client);
    client.write(`${line} HTTP/1.1\r\nHost: ${host(port(client))}\r\n\r\n`);
    return all;
  }

  test.each(['127.0.0.1', 'localhost', 'LOCALHOST'])('is served under %s', async (name) => {
    const text = await ask('GET /abc.pac', (ownPort) => `${name}:${ownPort}`);
    expect(text).toMatch(/^HTTP\/1.1 200 .*application\/x-ns-proxy-autoconfig/s);
    expect(text).toMatch(/cache-control: no-store/);
    expect(text.endsWith(pac.text)).toBe(true);
  });

  test.each([
    ['GET /abc.pac', (ownPort: number) => `evil.test:${ownPort}`],
    ['GET /abc.pac', () => '127.0.0.1'],
    ['GET /abc.pac', () => '127.0.0.1:1'],
    ['GET /abc.pac?x', (ownPort: number) => `127.0.0.1:${ownPort}`],
    ['GET /', (ownPort: number) => `127.0.0.1:${ownPort}`],
    ['GET //abc.pac', (ownPort: number) => `127.0.0.1:${ownPort}`],
    ['POST /abc.pac', (ownPort: number) => `127.0.0.1:${ownPort}`],
    ['OPTIONS *', (ownPort: number) => `127.0.0.1:${ownPort}`],
  ])('%s is not found otherwise', async (line, host) => {
    const text = await ask(line, host);
    expect(text).toMatch(/^HTTP\/1.1 404 /);
    expect(text).not.toContain('FindProxyForURL');
  });
});

test('a client that does not take the PAC file in time is closed', async () => {
  const ending = new AbortController();
  const long = { ...pac, text: 'x'.repeat(32 * 1024 * 1024) };
  const served = Promise.withResolvers<Socket>();
  lab = await createClientLab(mirror(), (client, opening) => {
    const proxy = createHttpProxy({
      open: () => Promise.resolve({ ok: false, failure: 'failed' }),
      serveOwn: (request, response) => servePacFile(request, response, long),
    });
    proxy.serve(client, { ...opening, signal: ending.signal });
    served.resolve(client);
  });
  const client = await lab.connect();
  const { port } = client.address() as AddressInfo;
  client.write(`GET /abc.pac HTTP/1.1\r\nHost: 127.0.0.1:${client.remotePort}\r\n\r\n`);
  await readUntil(client, 'HTTP/1.1 200 ');
  client.pause();
  const there = await served.promise;
  expect(there.remotePort).toBe(port);
  const closed = once(there, 'close');
  expect(there.destroyed).toBe(false);
  ending.abort();
  await closed;
});
