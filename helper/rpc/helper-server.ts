import { connect, type Socket } from 'node:net';
import type { Log } from '../log.ts';
import type { LogMemory } from '../log-memory.ts';
import type { Caller, CallerIdentity } from '../system/ports/caller-identity-port.ts';
import type { SealedSecrets } from '../system/sealed-secrets.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import { createCallerLog } from './caller-log.ts';
import { serveClient } from './client-connection.ts';
import { createConnectionBudget } from './connection-budget.ts';
import { createStoredLists } from './stored-lists.ts';

export interface HelperServerOptions {
  socketPath: string;
  callers: CallerIdentity;
  tunnel: Tunnel;
  logMemory: LogMemory;
  sealedSecrets: SealedSecrets;
  log: Log;
}

export interface HelperServer {
  close(): Promise<void>;
}

/** Listens on the socket, or the pipe, and replaces whatever is there; see `expectNoOtherHelper`. */
export async function startHelperServer(options: HelperServerOptions): Promise<HelperServer> {
  const { socketPath, callers, tunnel, logMemory, sealedSecrets, log } = options;
  const open = new Set<Socket>();
  const budget = createConnectionBudget();
  const warn = createCallerLog(log);

  const accept = (socket: Socket, caller: Caller) => {
    // Without a listener, an error on a socket would end the process; 'close' follows and cleans up.
    socket.on('error', () => undefined);
    const giveBack = budget.take(caller);
    if (!caller.isAllowed) warn('a caller was refused', caller);
    if (!giveBack) {
      if (caller.isAllowed) warn('too many connections', caller);
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      giveBack();
    });
    serveClient(socket, {
      tunnel,
      caller,
      lists: createStoredLists(() => budget.takeList(caller)),
      warn,
      logMemory,
      sealedSecrets,
      log,
    });
  };

  const listening = await callers.listen(socketPath, {
    onCaller: accept,
    onProblem: (what, error) => log.error(what, error),
  });
  return {
    async close() {
      const closed = listening.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Rejects if another helper listens on the socket: two would undo each other's work. */
export async function expectNoOtherHelper(socketPath: string): Promise<void> {
  if (await isAnswered(socketPath)) throw new Error(`another helper listens on ${socketPath}`);
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
