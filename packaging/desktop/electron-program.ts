import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { createPackageWithOptions } from '@electron/asar';
import { setFuses, type ElectronPlatform } from './fuses.ts';

/** Electron's files, and the name of its program among them. */
export interface ElectronFiles {
  folder: string;
  program: string;
}

/** What Electron's program is called in an installation, and the system that it is for. */
export interface InstalledProgram {
  name: string;
  platform: ElectronPlatform;
}

export const linuxProgram: InstalledProgram = { name: 'waymaker', platform: 'linux' };

/** Lays Electron into `folder` under the app's name, with its fuses set, and `app` in an archive in it. */
export async function layElectron(
  folder: string,
  electron: ElectronFiles,
  app: string,
  { name, platform }: InstalledProgram,
): Promise<void> {
  await cp(electron.folder, folder, { recursive: true });
  const program = path.join(folder, name);
  await rename(path.join(folder, electron.program), program);
  await setFuses(program, platform);
  const resources = path.join(folder, 'resources');
  // Electron's own example of an app.
  await rm(path.join(resources, 'default_app.asar'), { force: true });
  // The system loads native modules from files only.
  await createPackageWithOptions(app, path.join(resources, 'app.asar'), { unpack: '*.node' });
  for (const file of [name, 'resources/app.asar', 'LICENSE', 'LICENSES.chromium.html'])
    if (!existsSync(path.join(folder, file))) throw new Error(`Electron’s files have no ${file}`);
}
