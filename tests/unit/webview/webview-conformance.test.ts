import { createHostClient } from '#shared/host/client.ts';
import type { HostTransport } from '#shared/host/transport.ts';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCheck, type AppUnderTest } from '../../../src/renderer/features/webview-conformance/check.ts';
import { tunnelChecks } from '../../../src/renderer/features/webview-conformance/tunnel-checks.ts';
import { createInPageTransport } from '../../../src/renderer/platform/in-page-transport.ts';
import { createWebviewApp } from '../../e2e/webview/webview-app.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * An app that keeps the contract, on a phone on which each request takes so long to come to it, and its answer to come
 * back.
 */
function appOn({ eachWayMs }: { eachWayMs: number }): AppUnderTest {
  const app = createWebviewApp('android');
  const inPage = createInPageTransport(webviewContract, (emit) => {
    app.emit = emit as typeof app.emit;
    return app.handlers;
  });
  const wait = () => new Promise((resolve) => void setTimeout(resolve, eachWayMs));
  const transport: HostTransport = {
    ...inPage,
    async request(channel, input) {
      await wait();
      const answer = await inPage.request(channel, input);
      await wait();
      return answer;
    },
  };
  const port = { send: async () => undefined, listen: () => undefined };
  return { app: createHostClient(webviewContract, transport), transport, port };
}

const aboutEnds = tunnelChecks.filter(({ rule }) => /allowedUntil, also|Moves the end|^Tells/.test(rule));

test.each(aboutEnds.map((check) => [check.rule, check] as const))(
  'a slow phone keeps the rule: %s',
  async (_rule, check) => {
    for (const eachWayMs of [0, 400, 1200]) {
      const result = runCheck(check, appOn({ eachWayMs }));
      await vi.advanceTimersByTimeAsync(120_000);
      expect(await result, `${eachWayMs} ms each way`).toEqual({ is: 'passed' });
    }
  },
);

test('an app that lets nobody move the end of a tunnel does not, however fast it is', async () => {
  const [moves] = aboutEnds.filter(({ rule }) => rule.startsWith('Moves'));
  const under = appOn({ eachWayMs: 0 });
  const deaf = { ...under.app.tunnel, setAllowedUntil: async () => null };
  const result = runCheck(moves!, { ...under, app: { ...under.app, tunnel: deaf } });
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await result).toMatchObject({ is: 'failed', reason: expect.stringContaining('taken away') });
});
