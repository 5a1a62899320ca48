import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accountChanges, eventStream, type AccountChange } from '#shared/api/events.ts';
import { followEvents, type EventFollower, type FetchStream } from '#shared/api/follow-events.ts';

/** A stream as the service, or somebody between, would send it. */
interface Sent {
  write(text: string): void;
  end(): void;
  isAborted: boolean;
}

let follower: EventFollower;
let token: string | undefined;
let sent: Sent[];
let heard: (readonly AccountChange[])[];
let followed: number;
let signedOut: number;
/** What is answered to the next who open a stream. */
let status: number;
let type: string;
let isReachable: boolean;

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const last = () => sent.at(-1) as Sent;
const open = async () => {
  follower.start();
  await seconds(0);
  last().write('retry: 3000\n\n');
  await seconds(0);
};

const fetchStream: FetchStream = async (_url, { signal }) => {
  if (!isReachable) throw new TypeError('fetch failed');
  const aborting = signal as AbortSignal;
  const bytes = new TransformStream<Uint8Array, Uint8Array>();
  const writer = bytes.writable.getWriter();
  const one: Sent = {
    write: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined),
    end: () => void writer.close().catch(() => undefined),
    isAborted: false,
  };
  aborting.addEventListener('abort', () => {
    one.isAborted = true;
    writer.abort(new DOMException('aborted', 'AbortError')).catch(() => undefined);
  });
  sent.push(one);
  return new Response(bytes.readable, { status, headers: { 'content-type': type } });
};

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  heard = [];
  followed = 0;
  signedOut = 0;
  token = 'token';
  status = 200;
  type = 'text/event-stream; charset=utf-8';
  isReachable = true;
  follower = followEvents({
    baseUrl: 'https://service.example',
    fetch: fetchStream,
    session: () => ({ deviceId: 'device', token }),
    onFollowed: () => (followed += 1),
    onChanges: (changes) => heard.push(changes),
    onSignedOut: () => (signedOut += 1),
  });
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

test('changes are emitted as they come, in pieces or together, and nothing else is', async () => {
  await open();
  last().write('data: entitle');
  last().write('ment\n\n');
  await seconds(0);
  last().write(':\n\ndata: devices\n\ndata: something-newer\n\ndata: invitations\n\ndata: devices\n\n');
  await seconds(0);
  expect(heard).toEqual([['entitlement'], ['devices', 'invitations']]);
});

test('a first stream says once that changes are heard from then on, for each who signs in', async () => {
  follower.start();
  await seconds(1);
  expect(followed).toBe(0);
  last().write('retry: 3000\n\n');
  await seconds(0);
  expect(followed).toBe(1);
  last().write(':\n\n');
  last().end();
  await seconds(5 * eventStream.retrySeconds);
  expect(sent).toHaveLength(2);
  last().write(':\n\n');
  await seconds(0);
  expect(followed).toBe(1);
  token = 'another';
  follower.restart();
  await open();
  expect(followed).toBe(2);
});

test('nobody signed in follows nothing', async () => {
  token = undefined;
  follower.start();
  await seconds(100);
  expect(sent).toEqual([]);
  token = 'token';
  follower.restart();
  await seconds(0);
  expect(sent).toHaveLength(1);
});

test('a refused token, or one whose stream says so, is signed out, and not tried again', async () => {
  status = 401;
  type = 'application/json; charset=utf-8';
  follower.start();
  await seconds(0);
  last().write('{"code":401,"msg":"请先');
  last().write('登录。","data":null}');
  last().end();
  await seconds(0);
  expect(signedOut).toBe(1);
  status = 200;
  type = 'text/event-stream';
  follower.restart();
  await open();
  last().write('event: end\ndata: signed-out\n\n');
  await seconds(600);
  expect(signedOut).toBe(2);
  expect(sent).toHaveLength(2);
});

test('a proxy that answers 401 in the service’s place signs nobody out: it is tried again', async () => {
  status = 401;
  type = 'text/html';
  follower.start();
  await seconds(0);
  last().write('<html><title>401 Authorization Required</title></html>');
  last().end();
  await seconds(2 * eventStream.retrySeconds * 2);
  expect(sent.length).toBeGreaterThan(1);
  last().write('x'.repeat(10_000));
  await seconds(5 * eventStream.retrySeconds * 2);
  expect(sent.length).toBeGreaterThan(2);
  // It does not even end.
  const tries = sent.length;
  await seconds(eventStream.openSeconds + eventStream.maxRetrySeconds * 2);
  expect(sent.length).toBeGreaterThan(tries);
  expect(signedOut).toBe(0);
  status = 200;
  type = 'text/event-stream';
  await seconds(eventStream.openSeconds + eventStream.maxRetrySeconds * 2);
  last().write('data: devices\n\n');
  await seconds(0);
  expect(heard.flat()).toContain('devices');
});

test('the end of another token’s stream signs nobody out', async () => {
  await open();
  token = 'another';
  last().write('event: end\ndata: signed-out\n\n');
  await seconds(0);
  expect(signedOut).toBe(0);
});

test('a stream that was silent for too long is lost, and what it missed is asked for with the next', async () => {
  await open();
  await seconds(eventStream.silenceSeconds - 1);
  last().write(':\n\n');
  await seconds(eventStream.silenceSeconds - 1);
  expect(sent[0]?.isAborted).toBe(false);
  await seconds(2);
  expect(sent[0]?.isAborted).toBe(true);
  await seconds(2 * eventStream.retrySeconds);
  expect(sent).toHaveLength(2);
  expect(heard).toEqual([]);
  last().write(':\n\n');
  await seconds(0);
  expect(heard).toEqual([accountChanges]);
});

test('where a proxy holds the stream back, or there is none, everything is asked for every now and then', async () => {
  for (const refuse of [() => undefined, () => (type = 'text/html'), () => (status = 429)]) {
    refuse();
    heard.length = 0;
    follower.restart();
    await seconds(600);
    // At most each minute, and with the longest pauses each second one.
    expect(heard.length).toBeGreaterThanOrEqual(4);
    expect(heard.length).toBeLessThanOrEqual(10);
    expect(new Set(heard)).toEqual(new Set([accountChanges]));
  }
});

test('setting the clock back does not keep a client from asking for everything again', async () => {
  type = 'text/html';
  follower.start();
  await seconds(60);
  vi.setSystemTime(Date.now() - 365 * 24 * 3_600_000);
  heard.length = 0;
  await seconds(600);
  expect(heard.length).toBeGreaterThanOrEqual(4);
});

test('a client that cannot reach the service tries again seldom, and not in step with others', async () => {
  isReachable = false;
  const attempts = vi.fn(fetchStream);
  follower = followEvents({
    baseUrl: '',
    fetch: attempts,
    session: () => ({ deviceId: 'device', token }),
    onFollowed: () => undefined,
    onChanges: () => undefined,
    onSignedOut: () => undefined,
  });
  follower.start();
  await seconds(3600);
  expect(attempts.mock.calls.length).toBeGreaterThan(30);
  expect(attempts.mock.calls.length).toBeLessThan(150);
});

test('a client that was replaced stays away for a while', async () => {
  await open();
  last().write('event: end\ndata: replaced\n\n');
  await seconds(eventStream.maxRetrySeconds / 2 - 1);
  expect(sent).toHaveLength(1);
  await seconds(eventStream.maxRetrySeconds + 2);
  expect(sent.length).toBeGreaterThan(1);
});

test('a stream that ends after each change is opened again soon, however many changes there are', async () => {
  await open();
  for (let changes = 1; changes <= 5; changes += 1) {
    last().write('data: devices\n\n');
    last().end();
    await seconds(2 * eventStream.retrySeconds);
    expect(sent).toHaveLength(changes + 1);
  }
});

test('a stream that is cut off at once again and again is opened more and more seldom', async () => {
  await open();
  for (let cuts = 0; cuts < 300; cuts += 1) {
    last().write(':\n\n');
    last().end();
    await seconds(2);
  }
  expect(sent.length).toBeGreaterThan(5);
  expect(sent.length).toBeLessThan(30);
});

test('an endless line ends the stream', async () => {
  await open();
  last().write('data: ' + 'x'.repeat(100_000));
  await seconds(0);
  expect(sent[0]?.isAborted).toBe(true);
});

test('a client that is stopped asks for nothing any more', async () => {
  await open();
  follower.stop();
  await seconds(600);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.isAborted).toBe(true);
  expect(heard).toEqual([]);
});
