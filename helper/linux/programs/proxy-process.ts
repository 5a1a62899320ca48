import { closeSync } from 'node:fs';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../../log.ts';
import type { ProxyConfiguration } from '../../proxy/proxy-messages.ts';
import type { ProxyProcess } from '../../system/ports/proxy-host-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { Account } from '../callers/accounts.ts';
import { openProxyListener, type ProxyListener } from './proxy-listener.ts';
import { startProxyProgram, type ProxyProgram } from './proxy-program.ts';
import { killProcessesOf } from '../groups/user-processes.ts';

/** The delay before a proxy that ended is replaced, in milliseconds. */
const restartAfter = 500;

/**
 * The proxy runs as `account` for good, and ends with the helper, which it notices on its standard input. If it is
 * configured to outlive the helper, it continues, so that programs still find it, and fail there instead of going out
 * directly. Its listening socket is opened here and kept from one process to the next.
 */
export function createProxyProcess(options: {
  account: Account;
  /** Gives the proxy's program, or throws if it may not be started. */
  script: () => string;
  log: Log;
}): ProxyProcess {
  const { account, script, log } = options;
  let program: ProxyProgram | undefined;
  let configured: ProxyConfiguration | undefined;
  let listener: ProxyListener | undefined;
  let listening: ProxyProcess['listening'];
  let stopped = false;
  const enqueue = createSerialQueue();

  function start({ descriptor }: ProxyListener): ProxyProgram {
    const started = startProxyProgram({
      account,
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
      if (!program) await killProcessesOf(account.uid);
      if (stopped) throw new SystemChangeFailed('the proxy was stopped');
      listener ??= openProxyListener(account.uid, log);
      const { port } = listener;
      program ??= start(listener);
      const { pacPath } = await program.configure(configuration);
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
