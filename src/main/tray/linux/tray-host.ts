import type { RunProgram } from '../../run-program.ts';

const watcher = 'org.kde.StatusNotifierWatcher';

/**
 * How long whoever closes a window waits for the answer, in milliseconds: a message bus that does not answer must not
 * keep it open.
 */
export const trayHostMs = 3000;

/**
 * Whether something on the session's message bus shows icons of programs, according to the watcher of the
 * StatusNotifierItem specification. If that is not known, the answer is no, because a window must not disappear where
 * nobody can find it. https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/StatusNotifierWatcher/
 */
export async function hasTrayHost(run: RunProgram): Promise<boolean> {
  const property = ['org.freedesktop.DBus.Properties.Get', watcher, 'IsStatusNotifierHostRegistered'];
  const destination = ['--dest', watcher, '--object-path', '/StatusNotifierWatcher'];
  try {
    const answer = await run('gdbus', [
      'call',
      '--session',
      '--timeout',
      // Longer: that it is not known in time is no answer, or a busy machine would end the app with its window.
      String((2 * trayHostMs) / 1000),
      ...destination,
      '--method',
      ...property,
    ]);
    return answer === '(<true>,)';
  } catch {
    return false;
  }
}
