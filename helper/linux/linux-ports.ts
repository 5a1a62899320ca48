import { accessSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../log.ts';
import type { Ports, ProcessMove } from '../system/ports.ts';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import { createAppGroups } from './app-groups.ts';
import { createAccounts } from './accounts.ts';
import { findProgram, runCommand as run } from './command.ts';
import { createControlGroups } from './control-groups.ts';
import { createLinuxDns } from './dns-manager.ts';
import { createEngineHost } from './engine-host.ts';
import { withGroups } from './group-filter.ts';
import { createGroupMembers } from './group-members.ts';
import { isInGroup, moveProcess } from './move-process.ts';
import { createNetworkMonitor } from './network-monitor.ts';
import { hasLibnftables } from './libnftables.ts';
import { createPacketFilter } from './packet-filter.ts';
import { createPortalHost } from './portal-host.ts';
import { createPrefixTables } from './prefix-tables.ts';
import { createProxyProcess } from './proxy-process.ts';
import { createRouter } from './router.ts';
import { endTunnelConnections } from './tunnel-connections.ts';
import { createTunnelDevice } from './tunnel-device.ts';
import { createUplink } from './uplink.ts';
import { killProcessesOf } from './user-processes.ts';

/** Next to the helper's bundle, or to this file. */
const proxyScript = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'start-proxy.ts' : 'proxy.mjs',
);

/** Linux: policy routing and nftables around a TUN device; engine and proxy run as users of their own. */
export function createLinuxPorts(options: {
  engineUser: string;
  proxyUser: string;
  /** The name of the helper's own control group. */
  controlGroup: string;
  log: Log;
}): Ports {
  const { log } = options;
  const accounts = createAccounts({ engine: options.engineUser, proxy: options.proxyUser });
  const groups = createControlGroups(options.controlGroup);
  const appGroups = createAppGroups(groups, log);
  const move = async (process: ProcessMove, startedAt?: string) => {
    const done = await moveProcess({ appGroups, groups }, process, startedAt);
    const group = appGroups.captured();
    if (group) members.note(group);
    return done;
  };
  const members = createGroupMembers({
    move,
    isOutside: (user, pid) =>
      groups.all().some((one) => one.user === user && one.place === 'outside' && isInGroup(pid, one)),
    log,
  });
  const monitor = createNetworkMonitor(log);
  const parts = { run, accounts, monitor, tables: createPrefixTables({ run, monitor }), log };
  return {
    device: createTunnelDevice(parts),
    router: createRouter(parts),
    filter: withGroups(createPacketFilter(parts), appGroups, members),
    groups: {
      isSupported: () => appGroups.isSupported(),
      move: (process) => move(process),
    },
    dns: createLinuxDns(run),
    uplink: createUplink(parts),
    connections: { end: (addresses) => endTunnelConnections(run, log, addresses) },
    engines: createEngineHost(accounts),
    proxies: {
      async create() {
        const account = await accounts.proxy();
        if (!account) throw new SystemChangeFailed(`there is no user ${options.proxyUser}`);
        return createProxyProcess({ account, script: proxyScript, log });
      },
      async endLeftOver() {
        const account = await accounts.proxy();
        if (account) await killProcessesOf(account.uid);
      },
    },
    portals: createPortalHost({ accounts, script: proxyScript, log }),
    isSupported: () =>
      findProgram('ip') !== undefined &&
      findProgram('nft') !== undefined &&
      hasLibnftables() &&
      isUsable('/dev/net/tun'),
  };
}

function isUsable(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}
