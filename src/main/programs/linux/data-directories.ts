import path from 'node:path';
import { baseFolder } from '#node/os/base-folder.ts';

/**
 * Where applications put their entries and icons, the user's own first (XDG Base Directory Specification 0.8).
 * Flatpak's and snap's folders are added, because not every session has them in its environment.
 */
export function dataDirectories(env: Readonly<NodeJS.ProcessEnv>, home: string): string[] {
  const own = baseFolder(env['XDG_DATA_HOME'], path.join(home, '.local/share'));
  const others = env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share';
  const all = [
    own,
    ...others.split(':'),
    path.join(own, 'flatpak/exports/share'),
    '/var/lib/flatpak/exports/share',
    '/var/lib/snapd/desktop',
  ];
  // The specification says to ignore relative paths.
  return [...new Set(all.filter((directory) => path.isAbsolute(directory)).map((one) => path.resolve(one)))];
}
