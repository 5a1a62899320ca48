import { expect, test } from 'vitest';
import type { FetchStream } from '#shared/api/follow-events.ts';
import { shareEvents } from '../../../../src/renderer/platform/share-events.ts';

/** A page with the locks and channels of its browser; `told`: what it has heard. */
function openPage(fetch: FetchStream) {
  const told: unknown[] = [];
  const events = shareEvents({
    baseUrl: '',
    fetch,
    session: () => ({ deviceId: 'device', token: 'token' }),
    onFollowed: () => told.push('followed'),
    onChanges: (changes) => told.push(changes),
    onSignedOut: () => undefined,
  });
  events.start();
  return { told, stop: () => events.stop() };
}

test('all pages of a browser are told that changes are heard, also one that is opened later', async () => {
  const bytes = new TransformStream<Uint8Array, Uint8Array>();
  const writer = bytes.writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  let streams = 0;
  const fetch: FetchStream = async () => {
    streams += 1;
    return new Response(bytes.readable, { headers: { 'content-type': 'text/event-stream' } });
  };
  const first = openPage(fetch);
  await expect.poll(() => streams).toBe(1);
  expect(first.told).toEqual([]);
  await write('retry: 3000\n\n');
  await expect.poll(() => first.told).toEqual(['followed']);

  const second = openPage(fetch);
  await expect.poll(() => second.told).toEqual(['followed']);
  await write('data: devices\n\n');
  await expect.poll(() => second.told).toEqual(['followed', ['devices']]);
  expect(first.told).toEqual(second.told);
  expect(streams).toBe(1);
  second.stop();
  first.stop();
});
