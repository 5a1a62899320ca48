import { expect, test, vi } from 'vitest';
import { createServiceAddresses } from '../../../../src/main/tunnel/service-addresses.ts';

const found = (...addresses: string[]) => vi.fn(async () => addresses);

test('at most two of each IP version, at the service’s port', async () => {
  const service = createServiceAddresses(
    'https://service.test:8443',
    found('198.51.100.1', '2001:db8::1', '198.51.100.2', '198.51.100.3'),
  );
  expect(service.targets()).toEqual([]);
  await service.refresh();
  expect(service.targets()).toEqual(
    ['198.51.100.1', '198.51.100.2', '2001:db8::1'].map((address) => ({ address, port: 8443 })),
  );
});

test.each(['10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.1.1', '172.31.0.1', '192.168.1.1'])(
  'a service at %s is not on the internet',
  async (address) => {
    const service = createServiceAddresses(
      'http://service.test',
      found(address, '::1', 'fd00::1', 'fe80::1'),
    );
    await service.refresh();
    expect(service.targets()).toEqual([]);
  },
);

test('what the translator of a network without IPv4 makes of an address is nowhere else', async () => {
  const service = createServiceAddresses(
    'https://service.test',
    found('64:ff9b::c633:6401', '64:ff9b:1:2::c633:6401', '198.51.100.1', '64:ff9c::1'),
  );
  await service.refresh();
  expect(service.targets().map(({ address }) => address)).toEqual(['198.51.100.1', '64:ff9c::1']);
});

test('what was found stays when the service cannot be looked up any more', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const find = found('198.51.100.1');
  const service = createServiceAddresses('http://service.test', find);
  await service.refresh();
  await service.refresh();
  expect(find).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(120_000);
  find.mockRejectedValueOnce(new Error('ENOTFOUND'));
  await service.refresh();
  vi.useRealTimers();
  expect(find).toHaveBeenCalledTimes(2);
  expect(service.targets()).toEqual([{ address: '198.51.100.1', port: 80 }]);
});
