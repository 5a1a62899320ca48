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
/** A helper that starts may have much to undo; one that stops has the time that it asks for, three times. */
const startMs = 120_000;
const stopMs = 90_000;

/** Starts the service, and resolves once it listens. Rejects if it ends instead, with what it has ended with. */
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
 * Resolves once the service does not run, whether it did or not. One that does not end is ended by `end`, and not started
 * again until it is installed again. Rejects if that does not help either.
 */
export async function stopService(end: () => void): Promise<void> {
  const calls = loadManager();
  if (await hasStopped(calls)) return;
  // Otherwise, the system would start it again in the middle of what comes next.
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
const SERVICE_NO_CHANGE = 0xffff_ffff;
const SERVICE_DISABLED = 4;

function disable({ change }: ManagerCalls, service: number): void {
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
