import type { EngineHost } from '../../system/ports/engine-host-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import { peerPortOf, roundTripOf } from '../netlink/netlink-sockets.ts';
import { findWay } from '../netlink/netlink-way.ts';
import { findProgram } from '../../posix/command.ts';
import { ownEngineCommand } from './own-engine-command.ts';
import { createSecretFile } from './secret-file.ts';
import { connectTcpAs } from './tcp-socket-as.ts';
import { unprivilegedCommand } from './unprivileged-command.ts';
import { killProcessesOf } from './end-processes.ts';

/**
 * The engine runs as its own user, whose uid identifies its packets. `ownEngine` gives the file of our own engine's
 * program, or throws if it may not be started.
 */
export function createEngineHost(accounts: Accounts, ownEngine: () => string): EngineHost {
  return {
    async isAvailable(engine) {
      const programs = engine === 'own' ? ['setpriv'] : ['openconnect', 'setpriv'];
      const isInstalled = programs.every((program) => findProgram(program) !== undefined);
      return isInstalled && (await accounts.engine()) !== undefined;
    },
    command(program, args) {
      const { engine } = accounts.known;
      if (!engine) throw new Error('there is no user for the engine');
      return unprivilegedCommand(engine, program, args);
    },
    ownCommand() {
      const { engine } = accounts.known;
      if (!engine) throw new Error('there is no user for the engine');
      return ownEngineCommand(engine, ownEngine());
    },
    secretFile: createSecretFile,
    connect(gateway) {
      const { engine } = accounts.known;
      if (!engine) throw new Error('there is no user for the engine');
      return connectTcpAs(engine.uid, gateway);
    },
    async linkMtu(address) {
      const { engine } = accounts.known;
      return engine && (await findWay(address, engine.uid))?.mtu;
    },
    async datagramPort(address) {
      const { engine } = accounts.known;
      return engine && (await peerPortOf(engine.uid, address));
    },
    async roundTripMs(address) {
      const { engine } = accounts.known;
      return engine && (await roundTripOf(engine.uid, address));
    },
    async endLeftOver() {
      const engine = await accounts.engine();
      if (engine) await killProcessesOf(engine.uid);
    },
  };
}
