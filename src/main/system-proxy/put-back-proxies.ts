import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from 'pino';
import { createSettings, settingsRecovery } from '../preferences/settings.ts';
import { createRunProgram } from '../run-program.ts';
import { createSystemProxy } from './system-proxy.ts';

/** Whether this profile has been used at all: reading the settings of one that has not would create it. */
export const hasProfile = (profile: string): boolean =>
  ['settings.json', 'settings.last-good.json'].some((file) => existsSync(path.join(profile, file)));

/**
 * Puts back the proxy settings of the user's desktops where no core will do so any more, as while Waymaker is removed;
 * no other process has the core meanwhile. False if some may not have been.
 */
export async function putBackProxies(options: {
  profile: string;
  env: Readonly<NodeJS.ProcessEnv>;
  platform: NodeJS.Platform;
  log: Logger;
}): Promise<boolean> {
  const { profile, env, platform, log } = options;
  if (!hasProfile(profile)) return true;
  // Not before: as it is loaded, a package in it looks for a home folder, which not everybody who runs commands has.
  const { openKeptFile } = await import('../preferences/kept-file.ts');
  const settings = createSettings(openKeptFile(profile, 'settings', settingsRecovery));
  await createSystemProxy({ settings, run: createRunProgram({ env }), env, platform, log }).restore();
  return Object.values(settings.get('proxyBefore')).every((before) => before === undefined);
}
