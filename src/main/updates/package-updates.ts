import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { desktopFolder } from '#node/manifest/core-product.ts';
import { readManifest } from '#node/manifest/manifest.ts';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import { createListeners } from '../listeners.ts';
import type { AppUpdates } from './app-updates.ts';

/** The installed app, if this program is a part of it: packages for Linux replace it while it runs. */
export const packagedApp = (ownFolder: string = import.meta.dirname): string | undefined =>
  ownFolder.startsWith(`${desktopFolder}/`) ? path.join(desktopFolder, 'waymaker') : undefined;

export interface PackageUpdatesOptions {
  /** The installed core's, which is of the same version as the app: their packages require that. */
  manifest: string;
  /** The one that runs. */
  version: string;
  /** Ends the app, and starts what is installed in its place. */
  restart: () => void;
  everyMs?: number;
}

/** Says once a package manager has put another version in the place of the one that runs, and as long as it is there. */
export async function createPackageUpdates(options: PackageUpdatesOptions): Promise<AppUpdates> {
  const { manifest, version, restart, everyMs = 60_000 } = options;
  const listeners = createListeners<UpdateView | null>();
  let view: UpdateView | null = null;

  async function look(): Promise<void> {
    const installed = readManifest(await readFile(manifest, 'utf8').catch(() => ''))?.version;
    // Without one, the packages are being replaced, or have been removed.
    if (installed === undefined) return;
    if (installed === version) {
      if (!view) return;
      view = null;
    } else {
      const state = { kind: 'installed', version: installed } as const;
      view = { state, failedVersion: null, endsTunnel: false, reopens: true };
    }
    listeners.emit(view);
  }

  const onChange = () => void look();
  watchFile(manifest, { interval: everyMs, persistent: false }, onChange);
  await look();
  const nothing = () => Promise.resolve();
  return {
    view: () => view,
    onChange: (listener) => listeners.add(listener),
    check: () => Promise.resolve(true),
    download: nothing,
    install() {
      if (view) restart();
      return nothing();
    },
    installAtQuit: nothing,
    close: () => unwatchFile(manifest, onChange),
  };
}
