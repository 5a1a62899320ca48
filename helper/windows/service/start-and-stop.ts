import { setTimeout as delay } from 'node:timers/promises';
import { orThrow } from '#node/os/windows/last-error.ts';
import { serviceConstants } from './service-calls.ts';
import {
  askToStop,
  loadManager,
  lookFor,
  readStatus,
  withManager,
  type ManagerCalls,
} from './service-manager.ts';

const pollMs = 100;
/** A helper that starts may have much to undo; one that stops gets three times as long as it asks for. */
const startMs = 120_000;
const stopMs = 90_000;

/** Starts the service, and resolves once it listens. Rejects with its exit code if it ends instead. */
export async function startService(): Promise<void> {
  const calls = loadManager();
  withService(calls, (service) => {
    if (readStatus(calls, service).state !== serviceConstants.SERVICE_RUNNING)
      orThrow('StartServiceW', calls.start(service, 0, null));
  });
  const giveUpAt = performance.now() + startMs;
  for (;;) {
    const { state, exitCode } = withService(calls, (service) => readStatus(calls, service)) ?? stopped;
    if (state === serviceConstants.SERVICE_RUNNING) return;
    if (state === serviceConstants.SERVICE_STOPPED)
      throw new Error(`the service has ended with ${exitCode}; its log is helper.log in its folder`);
    if (performance.now() > giveUpAt) throw new Error('the service does not start');
    await delay(pollMs);
  }
}

/**
 * Stops the service if it runs, and resolves once it does not. One that does not stop is disabled until it is installed
 * again, and ended by `end`. Rejects if that does not help either.
 */
export async function stopService(end: () => void): Promise<void> {
  const calls = loadManager();
  if (await hasStopped(calls)) return;
  // Otherwise, the system would start it again while its files are being replaced.
  withService(calls, (service) => disable(calls, service));
  end();
  if (!(await hasStopped(calls))) throw new Error('the service does not end');
}

async function hasStopped(calls: ManagerCalls): Promise<boolean> {
  const giveUpAt = performance.now() + stopMs;
  for (;;) {
    const { state } =
      withService(calls, (service) => {
        const status = readStatus(calls, service);
        if (status.state === serviceConstants.SERVICE_RUNNING) askToStop(calls, service);
        return status;
      }) ?? stopped;
    if (state === serviceConstants.SERVICE_STOPPED) return true;
    if (performance.now() > giveUpAt) return false;
    await delay(pollMs);
  }
}

/** <winsvc.h>, <winnt.h>. */
export const changeConstants = { SERVICE_NO_CHANGE: 0xffff_ffff, SERVICE_DISABLED: 4 } as const;

function disable({ change }: ManagerCalls, service: number): void {
  const { SERVICE_NO_CHANGE, SERVICE_DISABLED } = changeConstants;
  const rest = Array.from({ length: 7 }, () => null);
  orThrow(
    'ChangeServiceConfigW',
    change(service, SERVICE_NO_CHANGE, SERVICE_DISABLED, SERVICE_NO_CHANGE, ...rest),
  );
}

const stopped = { state: serviceConstants.SERVICE_STOPPED, exitCode: 0 };

/** Undefined if there is no service. */
function withService<Result>(calls: ManagerCalls, act: (service: number) => Result): Result | undefined {
  return withManager(calls, (manager) => {
    const service = lookFor(calls, manager);
    if (typeof service === 'string') return undefined;
    try {
      return act(service);
    } finally {
      calls.close(service);
    }
  });
}
