import type { Capture } from '../modes/routing-plan.ts';
import { settleAll } from '../settle-all.ts';
import { newNetwork } from './applied-network.ts';
import { filterRulesOf, routingRulesOf } from './network-rules.ts';
import { SystemChangeFailed } from './ports/system-change-failed.ts';
import type { Connection } from './system-adapter.ts';
import { changing, type SystemParts } from './system-parts.ts';

/** See `SystemAdapter.apply`; no other change of the system is in progress. */
export async function applyNetwork(parts: SystemParts, connection: Connection): Promise<void> {
  const { ports, setup, record, proxies, routingSwitch, guard, trafficBlock, follower, overruled } = parts;
  const { device, router, filter, uplink } = ports;
  await record.undoLeftOver();
  setup.lastConnection = connection;
  if (device.exists()) {
    throw new SystemChangeFailed(`there is a device ${device.name} already, and it is not ours`);
  }
  const current = await newNetwork(connection, follower.attachedNetworks());
  await changing(async () => {
    current.networks = await uplink.nearbyNetworks();
  });
  try {
    await record.note(current);
  } catch (error) {
    // Nothing has been changed.
    throw new SystemChangeFailed('the journal cannot be written', { cause: error });
  }
  setup.applied = current;
  trafficBlock.also = [];
  await changing(async () => {
    const prepared = async () => {
      await routingSwitch.prepare(current);
      // A power failure undoes changes of the network by itself; DNS, where it may not, is changed later.
      return await record.writeVolatile(current);
    };
    // What comes to a proxy that was left stays inside until it has ended.
    const leftToEnd = !current.plan.proxy && proxies.isLeft();
    const also: Capture[] = leftToEnd ? [{ kind: 'proxy' }] : [];
    // Both the filter and the routing rules block traffic, so they can be set in any order. They come before all
    // that takes time, because nothing may leave from now on.
    const blocked = [
      filter.set(filterRulesOf(current, also), { atOnce: true }),
      router.set(routingRulesOf(current)),
    ];
    const preparing = prepared();
    await settleAll([...blocked, device.create(), preparing]);
    if (leftToEnd) await proxies.end();
    // What was found meanwhile belongs in it, such as the proxy's port.
    await settleAll([filter.set(filterRulesOf(current)), (await preparing).flushed]);
  });
  guard.start();
  overruled.start();
}
