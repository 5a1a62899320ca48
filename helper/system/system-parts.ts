import type { Log } from '../log.ts';
import type { AppliedNetwork } from './applied-network.ts';
import type { Guard } from './guard.ts';
import type { UndoRecord } from './journal/undo-record.ts';
import type { NetworkFollower } from './network-follower.ts';
import type { OverruledRouting } from './overruled-routing.ts';
import type { PortalAccess } from './portal-access.ts';
import type { Ports } from './ports/ports.ts';
import { SystemChangeFailed } from './ports/system-change-failed.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import type { RoutingSwitch } from './routing-switch.ts';
import type { Connection } from './system-adapter.ts';
import type { TrafficBlock } from './traffic-block.ts';
import type { TunnelDns } from './tunnel-dns.ts';

/** What is set up now, as the steps of a connection leave it to each other. */
export interface Setup {
  applied: AppliedNetwork | undefined;
  /** The last applied connection, whose traffic may still be blocked. */
  lastConnection: Connection | undefined;
}

export const latestConnection = ({ applied, lastConnection }: Setup): Connection | undefined =>
  applied?.connection ?? lastConnection;

/** What the steps of a connection are made with. */
export interface SystemParts {
  readonly ports: Ports;
  readonly setup: Setup;
  readonly record: UndoRecord;
  readonly dns: TunnelDns;
  readonly proxies: ProxyLifecycle;
  readonly routingSwitch: RoutingSwitch;
  readonly guard: Guard;
  readonly trafficBlock: TrafficBlock;
  readonly follower: NetworkFollower;
  readonly overruled: OverruledRouting;
  readonly portal: PortalAccess;
  readonly log: Log;
}

/** Rejects with `SystemChangeFailed` where the change does. */
export async function changing(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    throw new SystemChangeFailed('the system refused a change', { cause: error });
  }
}
