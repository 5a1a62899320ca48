import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createMachine, type Machine } from '../../../lab/machine/machine.ts';
import { labsRoot, machineNames, recordOwner, removeLab } from '../../../lab/machine/registry.ts';
import { takeSnapshot } from '../../../lab/machine/snapshot.ts';
import { run, words } from '../../../lab/runs/process.ts';

/** Two computers of one network, dual stack, which a router leads out of; nobody answers outside. */
export interface TwoMachines extends AsyncDisposable {
  readonly tested: Machine;
  readonly serving: Machine;
  /** The one's whole network configuration as text. */
  snapshot(): Promise<string>;
}

export const networkAddresses = { tested: '192.168.50.2', serving: '192.168.50.3', router: '192.168.50.1' };

/**
 * The router has its hardware address, and nothing more: what goes there has left the computer. A bridge between them
 * floods nothing that it knows.
 */
export async function createTwoMachines(): Promise<TwoMachines> {
  const id = randomBytes(3).toString('hex');
  const directory = path.join(labsRoot, id);
  await mkdir(directory, { recursive: true, mode: 0o755 });
  await recordOwner(directory);
  const machine = (name: 'user' | 'gateway' | 'internet') =>
    createMachine(`wm${id}${machineNames[name]}`, directory, `nameserver ${networkAddresses.router}\n`);
  const [tested, serving, router] = await Promise.all([
    machine('user'),
    machine('gateway'),
    machine('internet'),
  ]);
  await router.run(words('ip link add network type bridge'));
  await router.run(words('ip link set network up'));
  const { tested: one, serving: other, router: third } = networkAddresses;
  await router.run(words(`ip address add ${third}/24 dev network`));
  await router.run(words('ip address add fd50::1/64 dev network nodad'));
  for (const [end, address, last] of [
    [tested, one, 2],
    [serving, other, 3],
  ] as const) {
    await run([
      ...words(`ip link add uplink netns ${end.namespace} type veth`),
      ...words(`peer name port${last} netns ${router.namespace}`),
    ]);
    await router.run(words(`ip link set port${last} master network up`));
    await end.run(words('ip link set uplink up'));
    await end.run(words(`ip address add ${address}/24 dev uplink`));
    await end.run(words(`ip address add fd50::${last}/64 dev uplink nodad`));
    await end.run(words(`ip route add default via ${third} dev uplink`));
    await end.run(words('ip route add default via fd50::1 dev uplink'));
    // Files of their own, where all computers of the laboratory have the same ones.
    for (const folder of ['/var/lib', '/run']) await end.run(words(`mount -t tmpfs tmpfs ${folder}`));
  }
  return {
    tested,
    serving,
    snapshot: () => takeSnapshot(tested),
    [Symbol.asyncDispose]: () => removeLab(id),
  };
}
