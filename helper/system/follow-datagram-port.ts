import { setTimeout as delay } from 'node:timers/promises';
import { routingRulesOf } from './network-rules.ts';
import type { SystemParts } from './system-parts.ts';

/**
 * Waits before each look for where the engine sends datagrams, in milliseconds; the last one repeats. The first are
 * less than the second after which a lost first datagram is repeated (RFC 6347 §4.2.4.1); many gateways take none at
 * all.
 */
const datagramLooksMs = [25, 50, 100, 200, 400, 800, 2_000, 5_000, 30_000] as const;

/** See `SystemAdapter.followDatagrams`. Rejects when the signal is aborted, too. */
export async function followDatagramPort(
  { ports, setup }: Pick<SystemParts, 'ports' | 'setup'>,
  /** Runs a task when no other change of the system is in progress. */
  enqueue: (task: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { router, engines } = ports;
  const address = setup.applied?.connection.address;
  // A proxy takes none.
  if (address === undefined || setup.applied?.connection.proxy) return;
  let port: number | undefined;
  for (let look = 0; port === undefined; look += 1) {
    await delay(datagramLooksMs[look] ?? datagramLooksMs.at(-1), undefined, { signal, ref: false });
    // It has gone on to another one, which is followed by itself.
    if (setup.applied?.connection.address !== address) return;
    port = await engines.datagramPort(address);
  }
  await enqueue(async () => {
    const { applied } = setup;
    if (signal.aborted || applied?.connection.address !== address) return;
    const { datagramPort = applied.connection.gateway.port } = applied;
    if (port === datagramPort) return;
    applied.datagramPort = port;
    await router.set(routingRulesOf(applied));
  });
}
