import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { engines } from '../support/engines.ts';
import { dropUdp, rekeyingGateways, runSessionUnderTraffic } from '../support/session-under-traffic.ts';

/** So that TLS gets its new keys after 11 and 22 seconds, and DTLS after 21. */
const rekeySeconds = 11;

// Side by side, each in a laboratory of its own: most of the time is waiting for the next re-key.
describe.concurrent('a session goes on', () => {
  const cases = Object.entries(rekeyingGateways(rekeySeconds));
  test.each(cases.flatMap(([name, gateway]) => engines.map((engine) => [name, engine, gateway] as const)))(
    'while it gets new keys %s, with %s',
    async (_name, engine, gateway) => {
      const { gaps, interruptions, rekeys } = await runSessionUnderTraffic({ engine, gateway, seconds: 25 });
      expect(rekeys).toBeGreaterThanOrEqual(2);
      expect(interruptions).toEqual([]);
      expect(gaps.isTcpAlive).toBe(true);
      expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(waitLimit(2_000));
    },
  );

  test('over TLS when datagrams get lost, also while it gets new keys', async () => {
    const { gaps, interruptions } = await runSessionUnderTraffic({
      gateway: { rekey: { seconds: rekeySeconds, method: 'new-tunnel' } },
      seconds: 25,
      disturb: (net) => dropUdp(net, () => delay(15_000)),
    });
    expect(interruptions).toEqual([]);
    expect(gaps.isTcpAlive).toBe(true);
    expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(waitLimit(5_000));
  });
});
