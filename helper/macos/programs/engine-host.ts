import { Socket } from 'node:net';
import type { RunCommand } from '../../posix/command.ts';
import { engineArguments, engineEnvironment } from '../../posix/engine-arguments.ts';
import type { EngineHost } from '../../system/ports/engine-host-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import type { InterfaceCalls } from '../calls/interface-calls.ts';
import type { RouteCalls } from '../calls/routing-socket.ts';
import type { Libc } from '../calls/libc.ts';
import { connectTcp, openTcp } from '../calls/tcp-socket.ts';
import { outsideWay } from '../routing/outside-way.ts';
import { asUser } from './as-user.ts';
import { endProcessesOf } from './end-processes.ts';
import { createSecretFile } from './secret-file.ts';

/**
 * Our own engine, as a user of its own, whose uid identifies its packets. `script` gives the file of its program, or
 * throws if it may not be started.
 */
export function createEngineHost(parts: {
  accounts: Accounts;
  script: () => string;
  libc: Libc;
  run: RunCommand;
  interfaces: InterfaceCalls;
  routes: RouteCalls;
}): EngineHost {
  const { accounts, script, libc, run, interfaces, routes } = parts;
  const engine = () => {
    const { engine: account } = accounts.known;
    if (!account) throw new Error('there is no user for the engine');
    return account;
  };
  return {
    isAvailable: async (kind) => kind === 'own' && (await accounts.engine()) !== undefined,
    command() {
      throw new Error('openconnect is not run on macOS');
    },
    ownCommand: () => ({
      file: process.execPath,
      args: engineArguments(script(), engine()),
      environment: engineEnvironment(),
    }),
    secretFile: (content) => createSecretFile(content),
    connect(gateway) {
      const descriptor = asUser(engine().uid, () => openTcp(libc, gateway));
      connectTcp(libc, descriptor, gateway);
      return new Socket({ fd: descriptor, readable: true, writable: true, allowHalfOpen: true });
    },
    linkMtu: (address) =>
      Promise.resolve().then(() => {
        const way = outsideWay(routes.table(), address, undefined);
        return interfaces.list().find(({ index }) => index === way?.interface)?.mtu;
      }),
    // No documented call tells these of another process's sockets.
    datagramPort: () => Promise.resolve(undefined),
    roundTripMs: () => Promise.resolve(undefined),
    async endLeftOver() {
      const account = await accounts.engine();
      if (account) await endProcessesOf(run, account.uid);
    },
  };
}
