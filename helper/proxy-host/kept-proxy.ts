import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../log.ts';
import type { ProgramProcess } from '../system/ports/engine-host-port.ts';
import type { ProxyConfiguration } from '../proxy/proxy-messages.ts';
import type { ProxyProcess } from '../system/ports/proxy-host-port.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { startProxyProgram, type ProxyProgram } from './proxy-program.ts';

/** What a system does for the proxy. */
export interface ProxyPlace {
  /** The port of 127.0.0.1 for the proxy, which is the same each time. */
  port(): number | Promise<number>;
  /** Starts the program, which serves there. Throws if it may not be started. */
  start(): ProgramProcess;
  /** Gives the port back. */
  close(): void;
  /** Ends proxies of before, also of earlier helpers. */
  endLeftOver(): Promise<unknown>;
  /** Whether the tunnel's packets are told apart by their source, and not by the proxy's user. */
  bindsSources: boolean;
}

/** The delay before a proxy that ended is replaced, in milliseconds. */
const restartAfter = 500;

/**
 * The proxy ends with the helper, which it notices on its standard input. If it is configured to outlive the helper, it
 * continues, so that programs still find it, and fail there instead of going out directly. Its port stays the same from
 * one process to the next.
 */
export function createKeptProxy(place: ProxyPlace, log: Log): ProxyProcess {
  let program: ProxyProgram | undefined;
  let configured: ProxyConfiguration | undefined;
  let listening: ProxyProcess['listening'];
  let stopped = false;
  const enqueue = createSerialQueue();

  function start(): ProxyProgram {
    const started = startProxyProgram({
      start: () => place.start(),
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
  const expectWanted = () => {
    if (stopped) throw new SystemChangeFailed('the proxy was stopped');
  };

  const apply = (configuration: ProxyConfiguration) =>
    enqueue(async () => {
      if (!program) await place.endLeftOver();
      expectWanted();
      const port = await place.port();
      expectWanted();
      program ??= start();
      const { sources, ...rest } = configuration;
      const { pacPath } = await program.configure({ ...rest, ...(place.bindsSources && { sources }) });
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
      program?.kill();
      place.close();
    },
  };
}
