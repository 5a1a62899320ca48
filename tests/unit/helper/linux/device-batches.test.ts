import { expect, test } from 'vitest';
import { deviceBatch } from '../../../../helper/linux/routing/device-batches.ts';

test('without IPv6 in the kernel, the device is made without a setting that only IPv6 has', () => {
  expect(deviceBatch(1234, { hasIpv6: true }), 'positive control').toContain('addrgenmode none\n');
  const without = deviceBatch(1234, { hasIpv6: false });
  expect(without).not.toContain('addrgenmode');
  expect(without).toMatch(/^tuntap add dev wm0 mode tun user 1234\n/);
  expect(without).toContain('link set dev wm0 up\n');
});
