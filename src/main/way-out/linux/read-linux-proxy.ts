import { desktopNames } from '../../linux/desktop-names.ts';
import type { RunProgram } from '../../run-program.ts';
import type { DesktopWay, EarlierSettings } from '../desktop-way.ts';
import { readGnomeProxy } from './read-gnome-proxy.ts';
import { readKdeProxy } from './read-kde-proxy.ts';

/** KDE has settings of its own, and all other desktops those of GNOME. Undefined without a desktop. */
export async function readLinuxProxy(
  run: RunProgram,
  env: Readonly<NodeJS.ProcessEnv>,
  before: Readonly<Record<string, EarlierSettings | undefined>>,
): Promise<DesktopWay | undefined> {
  const names = desktopNames(env);
  if (names.includes('kde')) return await readKdeProxy(run, before['kde']);
  return names.length > 0 ? await readGnomeProxy(run, before['gnome']) : undefined;
}
