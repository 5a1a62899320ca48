import path from 'node:path';
import type { Log } from '../log.ts';
import { findProgram, runCommand as run } from '../posix/command.ts';
import type { Ports } from '../system/ports/ports.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { createAccounts } from './callers/accounts.ts';
import { createLibc } from './calls/libc.ts';
import { createMacosCalls } from './calls/macos-calls.ts';
import { createEnableToken } from './filter/enable-token.ts';
import type { MacosOptions } from './macos-options.ts';
import { createNetworkPorts } from './network-ports.ts';
import { createPortalHost } from '../posix/portal-host.ts';
import { createProxyProcess } from '../posix/proxy-process.ts';
import { macosProxy, openListenerAs } from './programs/macos-proxy.ts';
import { createEngineHost } from './programs/engine-host.ts';

/** A program next to the helper's bundle, or among its sources. */
const programFile = (source: string, bundle: string) =>
  path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? `../posix/${source}` : bundle);

/** macOS: marked routes, an anchor of pf and the dynamic store around a utun. `expectUnchanged`: see `Platform`. */
export function createMacosPorts(options: MacosOptions, expectUnchanged: () => void, log: Log): Ports {
  const accounts = createAccounts(run, { engine: options['engine-user'], proxy: options['proxy-user'] });
  const calls = createMacosCalls(run);
  const libc = createLibc(null);
  const proxy = macosProxy(libc, run);
  /** Gives a program's file to whoever is about to start it. */
  const program = (source: string, bundle: string) => () => {
    expectUnchanged();
    return programFile(source, bundle);
  };
  const proxyScript = program('start-proxy.ts', 'proxy.mjs');
  return {
    ...createNetworkPorts({
      calls,
      users: async () => {
        await Promise.all([accounts.engine(), accounts.proxy()]);
        return { engine: accounts.known.engine?.uid, proxy: accounts.known.proxy?.uid };
      },
      token: createEnableToken(),
      log,
    }),
    engines: createEngineHost({
      accounts,
      script: program('start-engine.ts', 'engine.mjs'),
      libc,
      run,
      interfaces: calls.interfaces,
      routes: calls.routes,
    }),
    proxies: {
      isSupported: () => true,
      async create() {
        const account = await accounts.proxy();
        if (!account) throw new SystemChangeFailed(`there is no user ${options['proxy-user']}`);
        return createProxyProcess({
          account,
          system: proxy,
          script: proxyScript,
          log,
        });
      },
      async endLeftOver() {
        const account = await accounts.proxy();
        if (account) await proxy.endProcessesOf(account);
      },
    },
    portals: createPortalHost({
      engine: () => accounts.engine(),
      command: (nodeArguments) => proxy.command(nodeArguments),
      openListener: (uid) => openListenerAs(libc, uid),
      script: proxyScript,
      log,
    }),
    groups: {
      // Without a network extension, nothing tells the packets of programs apart.
      isSupported: () => false,
      move: () => Promise.reject(new SystemChangeFailed('programs cannot be routed by group on macOS')),
    },
    isSupported: () => findProgram('pfctl') !== undefined,
  };
}
