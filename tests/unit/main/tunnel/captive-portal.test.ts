import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { portalProbePath } from '#shared/constants.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { portalAddress, probePortal } from '../../../../src/main/tunnel/captive-portal.ts';
import { createShownState } from '../../../../src/main/tunnel/shown-state.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Whoever answers on the way to the service. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return portalAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const page = (status: number, headers = {}): RequestListener => {
  return (_request, response) =>
    response.writeHead(status, headers).end(status === 204 ? undefined : 'Welcome');
};

test.each([
  ['a page of its own', page(200)],
  ['the way to its page', page(302, { location: 'http://portal.test/sign-in' })],
  ['status 511', page(511)],
])('%s is a portal', async (_what, listener) => {
  expect(await probePortal(await answering(listener))).toBe('portal');
});

// The small programs of routers: nodejs/node issue 43798.
test.each([
  ['lines that end with LF alone', 'HTTP/1.0 302 Found\nLocation: http://portal.test/\n\n'],
  ['characters of control', 'HTTP/1.1 200 OK\r\nServer: a\x01\r\nContent-Length: 2\r\n\r\nhi'],
  ['its length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'],
])('a network that answers with %s is a portal, too', async (_what, answer) => {
  const listener: RequestListener = (request) => void request.socket.end(Buffer.from(answer, 'latin1'));
  expect(await probePortal(await answering(listener))).toBe('portal');
});

test.each<[string, RequestListener]>([
  ['nothing, as the service does,', page(204)],
  ['the way to https on the same host', page(301, { location: `https://127.0.0.1${portalProbePath}` })],
  ['that there is no such page', page(404)],
  ['that it is broken', page(503)],
  ['and hangs up', (request) => request.socket.destroy()],
])('a network that answers %s is no portal', async (_what, listener) => {
  expect(await probePortal(await answering(listener))).not.toBe('portal');
});

test('a captive portal is looked for over plain http', () => {
  expect(portalAddress('https://api.waymaker.example')).toBe(`http://api.waymaker.example${portalProbePath}`);
  expect(portalAddress('https://api.waymaker.example:8443')).toBe(
    `http://api.waymaker.example${portalProbePath}`,
  );
  expect(portalAddress('http://service.test:8787')).toBe(`http://service.test:8787${portalProbePath}`);
});

test('a portal is not shown any more once the user has signed in to it by a browser', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const unreachable = { state: 'disconnected', reason: 'gateway-unreachable' } as const;
  const told: TunnelState[] = [];
  let isThere = true;
  const shown = createShownState({
    helper: { state: () => unreachable },
    isBehindPortal: async () => isThere,
    destinations: { at: () => expect.fail('there is no gateway') },
    emit: (state) => told.push(state),
  });
  shown.tell();
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(told).toEqual([unreachable, { ...unreachable, reason: 'captive-portal' }]);
  isThere = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.slice(2)).toEqual([unreachable]);
  expect(vi.getTimerCount(), 'nothing is looked for in vain').toBe(0);
});

test('a probe that was begun before the user passed a portal says nothing about it afterwards', async () => {
  const unreachable = { state: 'disconnected', reason: 'gateway-unreachable' } as const;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const told: TunnelState[] = [];
  const shown = createShownState({
    helper: { state: () => unreachable },
    isBehindPortal: () => promise,
    destinations: { at: () => expect.fail('there is no gateway') },
    emit: (state) => told.push(state),
  });
  shown.tell();
  shown.portal.look(false);
  resolve(true);
  await setImmediate();
  expect(told).toEqual([unreachable]);
});
