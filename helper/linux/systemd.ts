import koffi from 'koffi';
import { createSignalSupervisor } from '../posix/signal-supervisor.ts';
import type { Supervisor } from '../system/ports/supervisor-port.ts';

/**
 * If systemd has started the helper, reports that it is ready (sd_notify(3)): the network may only come up then, so
 * that no packet passes before an earlier kill switch blocks traffic again.
 */
function notifyReady(): void {
  if (process.env['NOTIFY_SOCKET'] === undefined) return;
  const notify = koffi.load('libsystemd.so.0').func('int sd_notify(int, const char *)') as (
    unsetEnvironment: number,
    state: string,
  ) => number;
  const status = notify(0, 'READY=1');
  if (status < 0) throw new Error(`sd_notify failed with errno ${-status}`);
}

/** systemd, or a person at a terminal. */
export const findSupervisor = async (): Promise<Supervisor> => createSignalSupervisor({ notifyReady });
