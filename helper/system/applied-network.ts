import { readFileSync } from 'node:fs';
import type { Routing } from '#shared/tunnel/state.ts';
import { SystemChangeFailed, type Connection } from './system-adapter.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import type { Account } from '../linux/accounts.ts';
import { tunnelDevice } from '../linux/identifiers.ts';
import type { PacketFilter } from '../linux/nftables.ts';
import type { PolicyRouting } from '../linux/policy-routing.ts';
import type { ProxyProcess } from '../linux/proxy-process.ts';
import type { DnsStep } from './journal-entry.ts';

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
  names: { step: DnsStep | undefined } | undefined;
  configuration: TunnelConfiguration | undefined;
  /** Addresses that the device, and the rules that name them, may have; of failed configurations too. */
  assigned: string[];
  localPrefixes: string[];
  proxy: ProxyProcess | undefined;
}

/** How much the packet filter of a way of routing holds back: one with a higher number, all that a lower one does. */
export const strictnessOf = (routing: Routing) => (routing.mode === 'pac' ? 0 : routing.localNetwork ? 1 : 2);

export const keepsLocalNetwork = (routing: Routing) => routing.mode === 'global' && routing.localNetwork;

/** A connection as far as its packet filter goes: all of it or, with nothing set up, the first two. */
export type Filtered = Pick<Held, 'connection'> & { accounts: Accounts } & Partial<
    Pick<Held, 'configuration' | 'localPrefixes' | 'proxy'>
  >;

export function filterOf(filtered: Filtered): PacketFilter {
  const { connection, accounts, configuration, localPrefixes, proxy } = filtered;
  const { routing, clientUids } = connection;
  const common = {
    device: tunnelDevice,
    tunnelAddresses: configuration?.addresses ?? {},
    clientUids,
  };
  switch (routing.mode) {
    case 'global':
      return {
        ...common,
        mode: 'global',
        engineUid: accounts.engine?.uid,
        gateway: { address: connection.address, port: connection.gateway.port },
        localPrefixes: localPrefixes ?? [],
        forwarding: isForwarding(),
      };
    case 'pac':
      return {
        ...common,
        mode: 'pac',
        proxyUid: accounts.proxy?.uid,
        proxyPort: proxy?.listening?.port,
      };
    default:
      return routing satisfies never;
  }
}

/** The routing rules of what is set up. */
export function routingOf({ connection, accounts, assigned }: Held): PolicyRouting {
  const { routing, address, gateway } = connection;
  if (routing.mode === 'pac') {
    if (!accounts.proxy) throw new SystemChangeFailed('there is no user for the proxy');
    return {
      mode: 'pac',
      proxyUid: accounts.proxy.uid,
      tunnelAddresses: assigned,
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
