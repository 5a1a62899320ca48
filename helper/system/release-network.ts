import { planOf } from '../modes/plan-of.ts';
import { filterRulesOf } from './network-rules.ts';
import type { ReleaseOptions } from './system-adapter.ts';
import { latestConnection, type SystemParts } from './system-parts.ts';

/** See `SystemAdapter.release`; no other change of the system is in progress. */
export async function releaseNetwork(
  parts: SystemParts,
  { keepBlocking, isAwaited = false }: ReleaseOptions,
): Promise<{ blocked: boolean }> {
  const { ports, setup, record, proxies, guard, trafficBlock, overruled, portal, log } = parts;
  const { filter, connections } = ports;
  overruled.stop();
  const { applied } = setup;
  const latest = latestConnection(setup);
  const steps = record.take(applied);
  const [addresses, wasApplied] = [
    applied?.assigned ?? latest?.awaitedAddresses ?? [],
    applied !== undefined,
  ];
  proxies.leave(applied?.proxy);
  // Those through a proxy end with it.
  const mayWait = keepBlocking && isAwaited && applied?.plan.capture.kind !== 'proxy';
  const awaitedAddresses = mayWait && addresses.length > 0 ? addresses : undefined;
  const connection = latest && { ...latest, awaitedAddresses };
  // As long as their address is this machine's: what is still to be sent from it could leave outside later.
  if (!awaitedAddresses) await connections.end(addresses);
  if (keepBlocking && applied && connection && applied.plan.capture.kind !== 'proxy') {
    // The tunnel, which some packets can use, is about to end; with this filter, they are blocked as well.
    const blocking = filterRulesOf({ ...applied, connection, configuration: undefined });
    await filter.set(blocking).catch((error: unknown) => log.error('the filter stays as it is', error));
  }
  setup.applied = undefined;
  setup.lastConnection = connection;
  if (keepBlocking) {
    // If it was never applied, it is not in the journal yet. Traffic is blocked, even if a later helper will not
    // know about it.
    if (!wasApplied) {
      await record.writeBlocking(connection).catch((error: unknown) => {
        log.error('the journal cannot be written', error);
      });
    }
    if (applied) trafficBlock.also = applied.alsoRefused;
    const blocked = await trafficBlock.block(connection);
    // Nothing of this keeps one of an earlier connection inside.
    if (connection && !planOf(connection.routing).proxy && proxies.isLeft())
      await proxies.end().catch((error: unknown) => log.error('the proxy could not be ended', error));
    await record.undo(connection, steps, { keepBlocking });
    return { blocked };
  }
  await portal.close();
  guard.stop();
  trafficBlock.also = [];
  if (proxies.isLeft()) await proxies.end();
  if (steps.length > 0) await record.undo(connection, steps, { keepBlocking });
  return { blocked: false };
}
