import { existsSync } from 'node:fs';
import path from 'node:path';
import { ownUser } from '#node/os/windows/access-token.ts';
import { wellKnownSids } from '#node/os/windows/security-identifier.ts';
import type { Log } from '../log.ts';
import type { Ports } from '../system/ports/ports.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { createWindowsCalls, type WindowsCalls } from './calls/windows-calls.ts';
import { createWintun } from './calls/wintun.ts';
import { createTunnelDevice } from './device/tunnel-device.ts';
import { createNetworkPorts } from './network-ports.ts';
import { createEngineHost } from './programs/engine-host.ts';
import { createPortalHost, createProxyHost } from './programs/proxy-host.ts';
import { unsupportedPorts } from './unsupported-ports.ts';

/** The official library, unchanged, beside the helper. */
const wintunFile = path.join(import.meta.dirname, 'wintun.dll');
/** A program beside the helper's bundle, or among its sources. */
const programFile = (source: string, bundle: string) =>
  path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? source : bundle);

const notYet = (what: string) => Promise.reject(new SystemChangeFailed(`${what}: not on Windows yet`));

/**
 * Windows: an adapter of Wintun's, the filtering platform, routes by IP Helper, and rules for names. Routing by program
 * is not there. `expectUnchanged`: see `Platform`.
 */
export function createWindowsPorts(options: {
  stateDirectory: string;
  expectUnchanged: () => void;
  log: Log;
}): Ports {
  const { stateDirectory, expectUnchanged, log } = options;
  const calls = findCalls(log);
  if (!calls) return unsupportedPorts;
  const device = createTunnelDevice({
    loadWintun: () => createWintun(wintunFile),
    ipHelper: calls.ipHelper,
    log,
  });
  // Helper, engine and proxy are one program for the filter. Engine and proxy run as another user than the helper, or,
  // where the system does not allow that, as the same; and the helper carries a sign-in to the gateway, too.
  const program = { file: process.execPath, sids: [...new Set([wellKnownSids.localService, ownUser()])] };
  /** Gives a program's file to whoever is about to start it. */
  const programOf = (source: string, bundle: string) => () => {
    expectUnchanged();
    return programFile(source, bundle);
  };
  const proxyProgram = programOf('start-proxy.ts', 'proxy.mjs');
  return {
    ...createNetworkPorts({
      calls,
      programs: { engine: program, proxy: program },
      tunnel: () => device.luid(),
      log,
    }),
    device,
    // Windows ends those of an address that is removed.
    connections: { end: async () => undefined },
    engines: createEngineHost({
      program: programOf('start-engine.ts', 'engine.mjs'),
      directory: stateDirectory,
      log,
    }),
    proxies: createProxyHost({ program: proxyProgram, directory: stateDirectory, log }),
    portals: createPortalHost({ program: proxyProgram, log }),
    groups: { isSupported: () => false, move: () => notYet('routing by program') },
    isSupported: () => existsSync(wintunFile),
  };
}

function findCalls(log: Log): WindowsCalls | undefined {
  try {
    return createWindowsCalls();
  } catch (error) {
    log.error('this Windows lacks functions that tunnels need', error);
    return undefined;
  }
}
