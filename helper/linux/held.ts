import { readFileSync } from 'node:fs';
import type { Routing } from '#shared/tunnel/state.ts';
import { SystemChangeFailed, type Connection } from '../system-adapter.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import type { Account } from './accounts.ts';
import { tunnelDevice } from './identifiers.ts';
import type { NameServiceManager } from './name-service.ts';
import type { PacketFilter } from './nftables.ts';
import type { PolicyRouting } from './policy-routing.ts';
import type { RoutingProxyProcess } from './routing-proxy.ts';
import { addressList } from './tunnel-device.ts';
import type { UndoStep } from './undo-step.ts';

/** The unprivileged users. */
export interface Accounts {
  engine: Account | undefined;
  proxy: Account | undefined;
}

/** What is set up at present. */
export interface Held {
  connection: Connection;
  accounts: { engine: Account; proxy: Account | undefined };
  /** Absent while names are resolved as ever. */
  names: { manager: NameServiceManager; step: UndoStep | undefined } | undefined;
  configuration: TunnelConfiguration | undefined;
  /** Addresses that the device may have, of failed configurations too. */
  assigned: string[];
  localPrefixes: string[];
  proxy: RoutingProxyProcess | undefined;
}

export const keepsLocalNetwork = (routing: Routing) => routing.mode === 'global' && routing.localNetwork;

/** The packet filter of a connection; `current`: what of it is set up already. */
export function filterOf(
  connection: Connection,
  accounts: Accounts,
  current: Held | undefined,
): PacketFilter {
  const { routing, clientUids } = connection;
  const common = {
    device: tunnelDevice,
    tunnelAddresses: current?.configuration?.addresses ?? {},
    clientUids,
  };
  switch (routing.mode) {
    case 'global':
      return {
        ...common,
        mode: 'global',
        engineUid: accounts.engine?.uid,
        gateway: { address: connection.address, port: connection.gateway.port },
        localPrefixes: current?.localPrefixes ?? [],
        forwarding: isForwarding(),
      };
    case 'pac':
      return {
        ...common,
        mode: 'pac',
        proxyUid: accounts.proxy?.uid,
        proxyPort: current?.proxy?.listening?.port,
      };
    default:
      return routing satisfies never;
  }
}

/** The routing rules of what is set up. */
export function routingOf({ connection, accounts, configuration }: Held): PolicyRouting {
  const { routing, address, gateway } = connection;
  if (routing.mode === 'pac') {
    if (!accounts.proxy) throw new SystemChangeFailed('there is no user for the proxy');
    return {
      mode: 'pac',
      proxyUid: accounts.proxy.uid,
      tunnelAddresses: addressList(configuration?.addresses ?? {}),
    };
  }
  return {
    mode: 'global',
    engineUid: accounts.engine.uid,
    gateway: { address, port: gateway.port },
    localNetwork: routing.localNetwork,
  };
}

function isForwarding(): boolean {
  return ['ipv4/ip_forward', 'ipv6/conf/all/forwarding'].some((name) => {
    try {
      return readFileSync(`/proc/sys/net/${name}`, 'utf8').trim() !== '0';
    } catch {
      return false;
    }
  });
}
