import path from 'node:path';

/**
 * Where applications put their entries and icons, what is the user's own first (XDG Base Directory Specification 0.8).
 * Flatpak's and snap's folders are added, since not every session has them in its environment.
 */
export function dataDirectories(env: Readonly<NodeJS.ProcessEnv>, home: string): string[] {
  const own = env['XDG_DATA_HOME'] || path.join(home, '.local/share');
  const others = env['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share';
  const all = [
    own,
    ...others.split(':'),
    path.join(own, 'flatpak/exports/share'),
    '/var/lib/flatpak/exports/share',
    '/var/lib/snapd/desktop',
  ];
  // Relative ones are to be passed over.
  return [...new Set(all.filter((directory) => path.isAbsolute(directory)).map((one) => path.resolve(one)))];
}
