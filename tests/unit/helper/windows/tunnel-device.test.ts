import { expect, test } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import type { Wintun } from '../../../../helper/windows/calls/wintun.ts';
import { createTunnelDevice } from '../../../../helper/windows/device/tunnel-device.ts';
import { Machine } from './model/machine.ts';

/** The device on the model of Windows, with a driver that is played. */
function deviceOn(machine: Machine) {
  const open = new Set<bigint>();
  const wintun = {
    async createAdapter() {
      machine.createTunnel();
      const luid = machine.tunnel ?? 0n;
      open.add(luid);
      return {
        luid,
        startSession: () => ({
          readEvent: 0,
          receive: () => 'empty' as const,
          send: () => 'sent' as const,
          end: () => undefined,
        }),
        close: () => void open.delete(luid),
      };
    },
  } satisfies Wintun;
  const log = createLog(() => undefined);
  const device = createTunnelDevice({ loadWintun: () => wintun, ipHelper: machine.calls.ipHelper, log });
  return { device, open };
}

test('an adapter that is gone after a sleep is made again, with its addresses', async () => {
  const machine = new Machine(true);
  const { device, open } = deviceOn(machine);
  await device.create();
  await device.configure({ mtu: 1_400, addresses: ['10.9.0.2', '2001:db8:9::2'] });
  const first = machine.tunnel;
  expect(await device.verify()).toBe('in-force');
  machine.removeTunnel();
  expect(await device.verify()).toBe('changed');
  await device.restore();
  expect(await device.verify()).toBe('in-force');
  expect(machine.tunnel).not.toBe(first);
  expect([...open]).toEqual([machine.tunnel]);
  expect(device.luid()).toBe(machine.tunnel);
  const addresses = machine.ip.addresses.filter(({ luid }) => luid === machine.tunnel);
  expect(addresses.map(({ address }) => address)).toEqual(['10.9.0.2', '2001:db8:9::2']);
});

test('a device that nobody wants any more is not made again', async () => {
  const machine = new Machine(true);
  const { device, open } = deviceOn(machine);
  await device.create();
  await device.remove();
  machine.removeTunnel();
  await device.restore();
  expect(open.size).toBe(0);
  expect(machine.tunnel).toBeUndefined();
});
