import path from 'node:path';
import type { Log } from '../log.ts';
import { findProgram, runCommand as run } from '../posix/command.ts';
import type { Ports } from '../system/ports/ports.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { createAccounts } from './callers/accounts.ts';
import { createLibc } from './calls/libc.ts';
import { createMacosCalls } from './calls/macos-calls.ts';
import { connectTcp } from './calls/tcp-socket.ts';
import { createEnableToken } from './filter/enable-token.ts';
import type { MacosOptions } from './macos-options.ts';
import { createNetworkPorts } from './network-ports.ts';
import { createEngineHost } from './programs/engine-host.ts';

/** The engine's program next to the helper's bundle, or among its sources. */
const engineFile = () =>
  path.join(
    import.meta.dirname,
    import.meta.filename.endsWith('.ts') ? '../posix/start-engine.ts' : 'engine.mjs',
  );

/** macOS: marked routes, an anchor of pf and the dynamic store around a utun. `expectUnchanged`: see `Platform`. */
export function createMacosPorts(options: MacosOptions, expectUnchanged: () => void, log: Log): Ports {
  const accounts = createAccounts(run, { engine: options['engine-user'], proxy: options['proxy-user'] });
  const calls = createMacosCalls(run);
  const libc = createLibc(null);
  const absent = (what: string) => () => Promise.reject(new SystemChangeFailed(`${what} on macOS yet`));
  return {
    ...createNetworkPorts({
      calls,
      users: async () => {
        const [engine, proxy] = await Promise.all([accounts.engine(), accounts.proxy()]);
        return { engine: engine?.uid, proxy: proxy?.uid };
      },
      token: createEnableToken(),
      log,
    }),
    engines: createEngineHost({
      accounts,
      script() {
        expectUnchanged();
        return engineFile();
      },
      openTcp: (endpoint) => connectTcp(libc, endpoint),
      run,
      interfaces: calls.interfaces,
      routes: calls.routes,
    }),
    proxies: {
      create: absent('the proxy of automatic routing does not run'),
      endLeftOver: () => Promise.resolve(),
    },
    portals: { start: absent('the proxy for captive portals does not run') },
    groups: {
      // Without a network extension, nothing tells the packets of programs apart.
      isSupported: () => false,
      move: absent('programs cannot be routed by group'),
    },
    isSupported: () => findProgram('pfctl') !== undefined,
  };
}
