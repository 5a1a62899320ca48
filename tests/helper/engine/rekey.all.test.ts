import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { engines } from '../support/engines.ts';
import { dropUdp, rekeyingGateways, runSessionUnderTraffic } from '../support/session-under-traffic.ts';

/**
 * So that TLS gets its new keys after 15 and 30 seconds, and DTLS after 25: on a slow machine, too, one has them before
 * the other begins.
 */
const rekeySeconds = 15;
const rekeys = 2;
/** From its beginning to the second one, and longer than the longest silence that is good enough after the last. */
const secondsFor = (limitMs: number) => Math.ceil(rekeys * rekeySeconds + limitMs / 1_000) + 1;

// Side by side, each in a laboratory of its own: most of the time is waiting for the next re-key.
describe.concurrent('a session goes on', () => {
  const cases = Object.entries(rekeyingGateways(rekeySeconds));
  test.each(cases.flatMap(([name, gateway]) => engines.map((engine) => [name, engine, gateway] as const)))(
    'while it gets new keys %s, with %s',
    async (_name, engine, gateway) => {
      const limitMs = waitLimit(2_000);
      const seconds = secondsFor(limitMs);
      const { gaps, interruptions } = await runSessionUnderTraffic({ engine, gateway, seconds, rekeys });
      expect(interruptions).toEqual([]);
      expect(gaps.isTcpAlive).toBe(true);
      expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(limitMs);
    },
  );

  test('over TLS when datagrams get lost, also while it gets new keys', async () => {
    const limitMs = waitLimit(5_000);
    const { gaps, interruptions } = await runSessionUnderTraffic({
      gateway: { rekey: { seconds: rekeySeconds, method: 'new-tunnel' } },
      seconds: secondsFor(limitMs),
      rekeys,
      // Until after new keys, and longer than the silence may be.
      disturb: (net) => dropUdp(net, () => delay(1_000 * rekeySeconds + limitMs)),
    });
    expect(interruptions).toEqual([]);
    expect(gaps.isTcpAlive).toBe(true);
    expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(limitMs);
  });
});
