import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createLog } from '../../../../helper/log.ts';
import type { Wintun } from '../../../../helper/windows/calls/wintun.ts';
import { SystemError } from '../../../../helper/windows/calls/system-error.ts';
import { createTunnelDevice } from '../../../../helper/windows/device/tunnel-device.ts';
import { Machine } from './model/machine.ts';

/** The device on the model of Windows, with a driver that is played. */
function deviceOn(machine: Machine) {
  const open = new Set<bigint>();
  let made = 0;
  /** What becomes of the first adapter. */
  const driver: { fate: () => 'empty' | 'ended' } = { fate: () => 'empty' };
  const wintun = {
    async createAdapter() {
      machine.createTunnel();
      const luid = machine.tunnel ?? 0n;
      open.add(luid);
      made += 1;
      const isFirst = made === 1;
      return {
        luid,
        startSession: () => ({
          readEvent: 0,
          receive: (): 'empty' | 'ended' => (isFirst ? driver.fate() : 'empty'),
          send: () => 'sent' as const,
          end: () => undefined,
        }),
        close() {
          open.delete(luid);
          if (machine.tunnel === luid) machine.removeTunnel();
        },
      };
    },
  } satisfies Wintun;
  const log = createLog(() => undefined);
  const device = createTunnelDevice({
    loadWintun: () => wintun,
    ipHelper: machine.calls.ipHelper,
    // Nothing is ever signalled.
    createWait: () => ({ start: () => undefined, close: () => undefined }),
    log,
  });
  return { device, open, driver };
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

test.each<[string, () => 'ended']>([
  ['has ended', () => 'ended'],
  [
    'cannot be read (gotatun 166)',
    () => {
      throw new SystemError('WintunReceivePacket', 13);
    },
  ],
])('an adapter whose session %s is made again, although the system still lists it', async (_, fate) => {
  const machine = new Machine(true);
  const { device, open, driver } = deviceOn(machine);
  await device.create();
  await device.configure({ mtu: 1_400, addresses: ['10.9.0.2'] });
  const first = machine.tunnel;
  const onChange = vi.fn();
  const stop = device.watch(onChange);
  driver.fate = fate;
  const pipe = new PassThrough();
  device.handle.open().attach(pipe);
  expect(pipe.destroyed).toBe(true);
  expect(onChange).toHaveBeenCalled();
  expect(await device.verify()).toBe('changed');
  await device.restore();
  expect(await device.verify()).toBe('in-force');
  expect(machine.tunnel).not.toBe(first);
  expect([...open]).toEqual([machine.tunnel]);
  stop();
});

test('an engine that ends takes no adapter along', async () => {
  const machine = new Machine(true);
  const { device } = deviceOn(machine);
  await device.create();
  const first = machine.tunnel;
  const onChange = vi.fn();
  device.watch(onChange);
  const pipe = new PassThrough();
  device.handle.open().attach(pipe);
  pipe.destroy();
  await vi.waitFor(() => expect(pipe.closed).toBe(true));
  expect(onChange).not.toHaveBeenCalled();
  expect(await device.verify()).toBe('in-force');
  expect(machine.tunnel).toBe(first);
});
