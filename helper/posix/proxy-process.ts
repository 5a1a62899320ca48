import { closeSync } from 'node:fs';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../log.ts';
import type { ProxyConfiguration } from '../proxy/proxy-messages.ts';
import type { ProxyProcess } from '../system/ports/proxy-host-port.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import type { ProgramAccount } from './become-user.ts';
import { startProxyProgram, type ProxyCommand, type ProxyProgram } from './proxy-program.ts';

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

/** The delay before a proxy that ended is replaced, in milliseconds. */
const restartAfter = 500;

/**
 * The proxy runs as `account` for good, and ends with the helper, which it notices on its standard input. If it is
 * configured to outlive the helper, it continues, so that programs still find it, and fail there instead of going out
 * directly. Its listening socket is opened here and kept from one process to the next.
 */
export function createProxyProcess(options: {
  account: ProgramAccount;
  system: ProxySystem;
  /** Gives the proxy's program, or throws if it may not be started. */
  script: () => string;
  log: Log;
}): ProxyProcess {
  const { account, system, script, log } = options;
  let program: ProxyProgram | undefined;
  let configured: ProxyConfiguration | undefined;
  let listener: ProxyListener | undefined;
  let listening: ProxyProcess['listening'];
  let stopped = false;
  const enqueue = createSerialQueue();

  function start({ descriptor }: ProxyListener): ProxyProgram {
    const started = startProxyProgram({
      account,
      command: system.command,
      script: script(),
      listener: descriptor,
      onEnd(by) {
        if (program !== started) return;
        program = undefined;
        if (stopped) return;
        log.warn('the proxy ended; another is started', { by });
        setTimeout(() => {
          if (!stopped && !program && configured) void apply(configured).catch(logFailure);
        }, restartAfter);
      },
      log,
    });
    return started;
  }

  const logFailure = (error: unknown) => log.error('the proxy could not be restarted', error);

  const apply = (configuration: ProxyConfiguration) =>
    enqueue(async () => {
      if (!program) await system.endProcessesOf(account);
      if (stopped) throw new SystemChangeFailed('the proxy was stopped');
      listener ??= system.openListener(account);
      const { port } = listener;
      program ??= start(listener);
      const { sources, ...rest } = configuration;
      const { pacPath } = await program.configure({ ...rest, ...(system.bindsSources && { sources }) });
      const address = `127.0.0.1:${port}`;
      listening = { port, address, pacUrl: `http://${address}${pacPath}` };
    });

  return {
    get outlives() {
      return configured?.outlive ?? false;
    },
    get listening() {
      return listening;
    },
    async configure(configuration) {
      const before = configured;
      configured = configuration;
      try {
        await apply(configuration);
      } catch (error) {
        // A replacement continues with the configuration that was in force.
        configured = before;
        throw error;
      }
    },
    stop() {
      stopped = true;
      program?.process.kill('SIGKILL');
      if (listener) closeSync(listener.descriptor);
      listener = undefined;
    },
  };
}
