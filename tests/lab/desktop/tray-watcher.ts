import { spawn } from 'node:child_process';
import { hasOwner } from './message-bus.ts';
import { endProcess, eventually } from '../runs/process.ts';

const service = '/usr/libexec/ayatana-indicator-application/ayatana-indicator-application-service';

/** A real watcher of tray icons (Ayatana's, as MATE and others have it) in a session. */
export async function startTrayWatcher(bus: {
  env: Readonly<Record<string, string>>;
}): Promise<AsyncDisposable> {
  const watcher = spawn(service, { env: { ...process.env, ...bus.env }, stdio: 'ignore' });
  await eventually(
    'something shows tray icons',
    async () => (await hasOwner(bus.env, 'org.kde.StatusNotifierWatcher')) || undefined,
  );
  return { [Symbol.asyncDispose]: () => endProcess(watcher, 'SIGKILL') };
}
