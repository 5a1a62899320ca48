import { expect, test } from 'vitest';
import { openDestination } from '../../../../helper/proxy/open-destination.ts';
import type { Policy } from '../../../../helper/proxy/policy.ts';

const policyWith = (sources: Policy['sources'], addresses: string[]): Policy => ({
  families: { ipv4: true, ipv6: true },
  sources,
  roundTripMs: 0,
  isBlocked: () => false,
  resolve: () => Promise.resolve({ addresses }),
});
const destination = { host: { kind: 'name', name: 'host.test' }, port: 80 } as const;
const signal = new AbortController().signal;

test('an address is not tried if the tunnel has no source address of its IP version', async () => {
  const policy = policyWith({ ipv4: '198.51.100.77' }, ['2001:db8::1']);
  expect(await openDestination(destination, policy, signal)).toEqual({
    ok: false,
    failure: 'network-unreachable',
  });
});

test('connections leave from the tunnel’s address, and fail once that is gone', async () => {
  const addresses = ['2001:db8::1', '192.0.2.1'];
  const own = policyWith({ ipv4: '198.51.100.77', ipv6: '2001:db8:77::1' }, addresses);
  // Not at all, whatever network this machine has: the address is not its own (EADDRNOTAVAIL).
  expect(await openDestination(destination, own, signal)).toEqual({ ok: false, failure: 'failed' });
  const systems = policyWith(undefined, ['192.0.2.1']);
  const opened = await openDestination(destination, systems, AbortSignal.timeout(50));
  expect(opened).not.toEqual({ ok: false, failure: 'failed' });
});
