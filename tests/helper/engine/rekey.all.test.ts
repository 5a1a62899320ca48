import { describe, expect, test } from 'vitest';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { dropUdp, rekeyingGateways, runSessionUnderTraffic } from '../support/session-under-traffic.ts';

/** So that TLS gets its new keys after 11 and 22 seconds, and DTLS after 21. */
const rekeySeconds = 11;

// Side by side, each in a laboratory of its own: most of the time is waiting for the next re-key.
describe.concurrent('a session goes on', () => {
  test.each(Object.entries(rekeyingGateways(rekeySeconds)))(
    'while it gets new keys %s',
    async (_name, gateway) => {
      const { gaps, interruptions, rekeys } = await runSessionUnderTraffic({ gateway, seconds: 25 });
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
      disturb: (net) => dropUdp(net, 15),
    });
    expect(interruptions).toEqual([]);
    expect(gaps.isTcpAlive).toBe(true);
    expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(waitLimit(5_000));
  });
});
