import { accessSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../log.ts';
import type { LinuxOptions } from './linux-options.ts';
import type { Ports } from '../system/ports/ports.ts';
import type { ProcessMove } from '../system/ports/program-groups-port.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { createProgramGroups } from './groups/program-groups.ts';
import { createAccounts } from './callers/accounts.ts';
import { findProgram, runCommand as run } from '../posix/command.ts';
import { createControlGroups } from './groups/control-groups.ts';
import { createLinuxDns } from './dns/dns-manager.ts';
import { createEngineHost } from './programs/engine-host.ts';
import { withGroups } from './groups/group-filter.ts';
import { createGroupMembers } from './groups/put-back-members.ts';
import { isInGroup, moveProcess } from './groups/move-process.ts';
import { createNetworkMonitor } from './routing/network-monitor.ts';
import { hasLibnftables } from './nftables/libnftables.ts';
import { createPacketFilter } from './nftables/packet-filter.ts';
import { createPrefixTables } from './routing/prefix-tables.ts';
import { createPortalHost } from '../posix/portal-host.ts';
import { createProxyProcess } from '../posix/proxy-process.ts';
import { linuxProxy } from './programs/linux-proxy.ts';
import { ownProgramCommand } from './programs/own-program-command.ts';
import { listenTcpAs, localPort } from './programs/tcp-socket-as.ts';
import { createRouter } from './routing/router.ts';
import { endTunnelConnections } from './routing/tunnel-connections.ts';
import { createTunnelDevice } from './routing/tunnel-device.ts';
import { createUplink } from './routing/uplink.ts';
import { killProcessesOf } from './programs/end-processes.ts';

/** A program next to the helper's bundle, or among its sources. */
const programFile = (source: string, bundle: string) =>
  path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? `../posix/${source}` : bundle);

/**
 * Linux: policy routing and nftables around a TUN device; engine and proxy run as users of their own.
 * `expectUnchanged`: see `Platform`.
 */
export function createLinuxPorts(options: LinuxOptions, expectUnchanged: () => void, log: Log): Ports {
  /** Gives a program's file to whoever is about to start it. */
  const program = (source: string, bundle: string) => {
    const file = programFile(source, bundle);
    return () => {
      expectUnchanged();
      return file;
    };
  };
  const proxyScript = program('start-proxy.ts', 'proxy.mjs');
  const engineScript = program('start-engine.ts', 'engine.mjs');
  const accounts = createAccounts({ engine: options['engine-user'], proxy: options['proxy-user'] });
  const groups = createControlGroups(options['control-group']);
  const programGroups = createProgramGroups(groups, log);
  const move = async (process: ProcessMove, startedAt?: string) => {
    const done = await moveProcess({ programGroups, groups }, process, startedAt);
    const group = programGroups.captured();
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
    filter: withGroups(createPacketFilter(parts), programGroups, members),
    groups: {
      isSupported: () => programGroups.isSupported(),
      move: (process) => move(process),
    },
    dns: createLinuxDns(run),
    uplink: createUplink(parts),
    connections: { end: (addresses) => endTunnelConnections(run, log, addresses) },
    engines: createEngineHost(accounts, engineScript),
    proxies: {
      isSupported: () => true,
      async create() {
        const account = await accounts.proxy();
        if (!account) throw new SystemChangeFailed(`there is no user ${options['proxy-user']}`);
        return createProxyProcess({ account, system: linuxProxy(log), script: proxyScript, log });
      },
      async endLeftOver() {
        const account = await accounts.proxy();
        if (account) await killProcessesOf(account.uid);
      },
    },
    portals: createPortalHost({
      engine: () => accounts.engine(),
      command: ownProgramCommand,
      openListener(uid) {
        const descriptor = listenTcpAs(uid, { address: '127.0.0.1', port: 0 });
        return descriptor === undefined ? undefined : { port: localPort(descriptor), descriptor };
      },
      script: proxyScript,
      log,
    }),
    filterOutlastsReboot: false,
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
