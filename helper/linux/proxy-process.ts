import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../log.ts';
import type { ProxyConfiguration } from '../proxy/proxy-messages.ts';
import type { ProxyProcess } from '../system/proxy-process.ts';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { Account } from './accounts.ts';
import { startProxyProgram, type ProxyProgram } from './proxy-program.ts';
import { killProcessesOf } from './user-processes.ts';

/**
 * Where it listens unless somebody else does: always the same port, so that programs find the next proxy where the
 * one before was.
 */
const preferredPort = 10_187;

/** How long until another takes the place of one that ended, in milliseconds. */
const restartAfter = 500;

/**
 * It runs as `account` for good, and ends when the helper does, which its standard input tells it. If it is configured
 * to outlive that it goes on, so that programs still find where they are sent, and fail there instead of going out
 * directly.
 */
export function createProxyProcess(options: {
  account: Account;
  /** The proxy's program. */
  script: string;
  /** Another process has taken the place of one that ended, and listens elsewhere. */
  onMoved: () => void;
  log: Log;
}): ProxyProcess {
  const { account, script, onMoved, log } = options;
  let program: ProxyProgram | undefined;
  let configured: ProxyConfiguration | undefined;
  let listening: ProxyProcess['listening'];
  let stopped = false;
  const enqueue = createSerialQueue();

  function start(): ProxyProgram {
    const started = startProxyProgram({
      account,
      script,
      port: listening?.port ?? preferredPort,
      onEnd(by) {
        if (program !== started) return;
        program = undefined;
        if (stopped) return;
        log.warn('the proxy ended; another is started', { by });
        setTimeout(() => {
          if (!stopped && !program && configured) void startAnew(configured).catch(logFailure);
        }, restartAfter);
      },
      log,
    });
    return started;
  }

  const logFailure = (error: unknown) => log.error('the proxy could not be started anew', error);

  const apply = (configuration: ProxyConfiguration) =>
    enqueue(async () => {
      if (!program) {
        await killProcessesOf(account.uid);
        if (stopped) throw new SystemChangeFailed('the proxy was stopped');
        program = start();
      }
      const { port, pacPath } = await program.configure(configuration);
      listening = {
        port,
        address: `127.0.0.1:${port}`,
        pacUrl: `http://127.0.0.1:${port}${pacPath}`,
      };
    });

  async function startAnew(configuration: ProxyConfiguration): Promise<void> {
    const before = listening?.pacUrl;
    await apply(configuration);
    if (listening?.pacUrl !== before) onMoved();
  }

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
        // One that takes its place goes on with what was in force.
        configured = before;
        throw error;
      }
    },
    stop() {
      stopped = true;
      program?.process.kill('SIGKILL');
    },
  };
}
