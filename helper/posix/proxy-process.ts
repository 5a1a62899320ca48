import { closeSync } from 'node:fs';
import type { Log } from '../log.ts';
import { createKeptProxy } from '../proxy-host/kept-proxy.ts';
import type { ProxyProcess } from '../system/ports/proxy-host-port.ts';
import type { ProgramAccount } from './become-user.ts';
import { spawnProxy, type ProxyCommand } from './spawn-proxy.ts';

/** A listening socket that the proxy inherits. */
export interface ProxyListener {
  port: number;
  descriptor: number;
}

/** What a system does for the proxy. */
export interface ProxySystem {
  command: ProxyCommand;
  /** Opens a socket that belongs to the proxy's user. */
  openListener(account: ProgramAccount): ProxyListener;
  /** Ends what runs as the proxy's user. */
  endProcessesOf(account: ProgramAccount): Promise<unknown>;
  /** Whether the tunnel's packets are told apart by their source, and not by the proxy's user. */
  bindsSources: boolean;
}

/** The proxy runs as `account` for good. Its listening socket is opened here and kept from one process to the next. */
export function createProxyProcess(options: {
  account: ProgramAccount;
  system: ProxySystem;
  /** Gives the proxy's program, or throws if it may not be started. */
  script: () => string;
  log: Log;
}): ProxyProcess {
  const { account, system, script, log } = options;
  let listener: ProxyListener | undefined;
  const listen = () => (listener ??= system.openListener(account));
  return createKeptProxy(
    {
      port: () => listen().port,
      start: () =>
        spawnProxy({
          account,
          command: system.command,
          script: script(),
          listener: listen().descriptor,
        }),
      close() {
        if (listener) closeSync(listener.descriptor);
        listener = undefined;
      },
      endLeftOver: () => system.endProcessesOf(account),
      bindsSources: system.bindsSources,
    },
    log,
  );
}
