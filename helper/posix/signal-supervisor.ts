import { createSleepWatch } from '../sleep-watch.ts';
import type { Supervisor } from '../system/ports/supervisor-port.ts';

/**
 * A service manager that ends its services by signals and does not tell of sleep, or a person at a terminal.
 * `notifyReady` tells the former that the helper is ready. A signal that comes before ends it at once.
 */
export function createSignalSupervisor({
  notifyReady = () => undefined,
  writeLog = (line: string) => void process.stderr.write(line),
}: { notifyReady?: () => void; writeLog?: (line: string) => void } = {}): Supervisor {
  const told = Promise.withResolvers<void>();
  return {
    ready() {
      notifyReady();
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
        process.once(signal, () => told.resolve());
    },
    told: told.promise,
    onWoken: (listener) => createSleepWatch().start(listener),
    writeLog,
    end: (exitCode) => process.exit(exitCode),
  };
}
