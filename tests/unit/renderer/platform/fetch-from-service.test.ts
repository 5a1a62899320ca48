import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { fetchFromService } from '../../../../src/renderer/platform/fetch-from-service.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A service that answers when the test says so. */
async function serve() {
  const answers: (() => void)[] = [];
  const server = createServer((_, response) => answers.push(() => response.end('answered')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    asked: () => answers.length,
    answer: () => answers.forEach((send) => send()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a page gives up a call that the service does not answer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  await using service = await serve();
  const call = fetchFromService(service.url, { method: 'GET', headers: {} });
  const given = expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  await vi.waitFor(() => expect(service.asked()).toBe(1));
  vi.advanceTimersByTime(20_000);
  await given;
});

// As on a computer that sleeps, or in a webview that is suspended.
test('a call whose page stood still meanwhile gets its answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  await using service = await serve();
  const call = fetchFromService(service.url, { method: 'GET', headers: {} });
  await vi.waitFor(() => expect(service.asked()).toBe(1));
  // Each timer rings once, however long it was.
  const later = performance.now() + 60 * 60_000;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
  vi.advanceTimersToNextTimer();
  service.answer();
  expect(await (await call).text()).toBe('answered');
});
