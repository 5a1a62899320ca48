import koffi from 'koffi';

/**
 * Tells systemd that the helper is ready (sd_notify(3)), where systemd has started it: only then the network may come
 * up, so that no packet passes before an earlier kill switch blocks traffic again.
 */
export function notifyReady(): void {
  if (process.env['NOTIFY_SOCKET'] === undefined) return;
  const notify = koffi.load('libsystemd.so.0').func('int sd_notify(int, const char *)') as (
    unsetEnvironment: number,
    state: string,
  ) => number;
  const status = notify(0, 'READY=1');
  if (status < 0) throw new Error(`sd_notify failed with errno ${-status}`);
}
