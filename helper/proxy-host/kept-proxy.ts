import { pauseAfter } from '#shared/back-off.ts';
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

/**
 * The pauses before a proxy that ended is replaced, in milliseconds: longer as long as that fails, as it does while
 * there are no file descriptors left, for example, or as long as none lasts.
 */
const backOff = { firstMs: 500, maxMs: 60_000 } as const;

/** One that ran for so long has lasted. */
const steadyMs = 30_000;

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
  let restarting: NodeJS.Timeout | undefined;
  /** How often it was to be replaced since one has lasted. */
  let replacements = 0;
  const enqueue = createSerialQueue();

  function start(): ProxyProgram {
    const startedAt = performance.now();
    const started = startProxyProgram({
      start: () => place.start(),
      onEnd(by) {
        if (program !== started) return;
        program = undefined;
        if (stopped) return;
        log.warn('the proxy ended; another is started', { by });
        if (performance.now() - startedAt >= steadyMs) replacements = 0;
        restartLater();
      },
      log,
    });
    return started;
  }

  function restartLater(): void {
    if (restarting) return;
    replacements += 1;
    restarting = setTimeout(
      () => {
        restarting = undefined;
        if (stopped || program || !configured) return;
        apply(configured).catch((error: unknown) => {
          log.error('the proxy could not be restarted', error, { times: replacements });
          restartLater();
        });
      },
      pauseAfter(replacements, backOff),
    );
  }

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
      clearTimeout(restarting);
      program?.kill();
      place.close();
    },
  };
}
