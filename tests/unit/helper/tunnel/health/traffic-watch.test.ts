import { expect, test } from 'vitest';
import { watchTraffic } from '../../../../../helper/tunnel/health/traffic-watch.ts';

test('a tunnel that could not be looked at once is looked at again', async () => {
  const over = new AbortController();
  const errors: unknown[] = [];
  let rounds = 0;
  const noDescriptors = new Error('EMFILE: too many open files');
  const watched = watchTraffic({
    plan: { addresses: {}, resolvers: [], needsResolver: false, targets: [], mtu: 1400, roundTripMs: 0 },
    received() {
      if (errors.length === 0) throw noDescriptors;
      return { ipv4: 0, ipv6: 0 };
    },
    sent: () => 0,
    openEcho: () => undefined,
    isAskedByPrograms: () => true,
    onAllPass: () => undefined,
    onFindings() {
      rounds += 1;
      over.abort();
    },
    onShrunk: () => undefined,
    onError: (error) => errors.push(error),
    signal: over.signal,
  });
  await expect(watched).rejects.toThrow('aborted');
  expect(errors).toEqual([noDescriptors]);
  expect(rounds).toBe(1);
});
