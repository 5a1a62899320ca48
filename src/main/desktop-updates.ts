import path from 'node:path';
import type { Logger } from 'pino';
import { coreFolder } from '#node/manifest/core-product.ts';
import { manifestFile } from '#node/manifest/manifest.ts';
import { releaseKeys } from '#node/manifest/release-keys.ts';
import { feedProduct } from '#node/manifest/update-feed.ts';
import type { Core } from './core/core.ts';
import { createAppUpdates, type AppUpdates } from './updates/app-updates.ts';
import { hasNetwork } from './updates/has-network.ts';
import { lookPeriodically } from './updates/look-periodically.ts';
import { createPackageUpdates, packagedApp } from './updates/package-updates.ts';
import { systemInstaller } from './updates/system-installer.ts';
import { openUpdateMemory } from './updates/update-memory.ts';
import { updatesFolder } from './control/updates-folder.ts';
import { updatesPlace } from './updates/updates-place.ts';

export interface AppUpdatesStart {
  core: Pick<Core, 'fetch' | 'tunnel' | 'preferences' | 'networks'>;
  platform: NodeJS.Platform;
  env: Readonly<NodeJS.ProcessEnv>;
  /** The app's data folder. */
  profile: string;
  version: string;
  /** Ends the app, and starts this program in its place, if there is one. */
  leave: (next: string | undefined) => void;
  log: Logger;
}

/** Undefined where nobody brings updates. */
export async function startAppUpdates(start: AppUpdatesStart): Promise<AppUpdates | undefined> {
  const { core, platform, env, profile, version, log } = start;
  const [app, installed] = [packagedApp(), coreFolder(platform)];
  if (app !== undefined && installed !== undefined) {
    const manifest = path.join(installed, manifestFile);
    return await createPackageUpdates({ manifest, version, restart: () => start.leave(app) });
  }
  const [place, trusted, installer] = [updatesPlace(), releaseKeys(), await systemInstaller(platform, env)];
  if (!place || !trusted || !installer) return undefined;
  // Where the command line has them, too.
  const folder = updatesFolder(profile, { env, platform });
  const memory = openUpdateMemory(folder);
  const updates = await createAppUpdates({
    source: {
      url: place.url,
      product: feedProduct(platform, process.arch, place.name),
      trusted,
      version,
      installation: memory.installation,
      seen: memory.seen,
      fetch: core.fetch,
    },
    memory,
    folder: path.join(folder, 'downloads'),
    installer,
    tunnel: () => core.tunnel.state(),
    killSwitch: () => core.preferences.get().killSwitch,
    isMetered: async () => (await core.networks?.isMetered()) === true,
    leave: () => start.leave(installer.next),
    log,
  });
  const looking = lookPeriodically({
    look: () => updates.check(),
    isOnline: () => hasNetwork(core.tunnel.state()),
  });
  return {
    ...updates,
    close() {
      looking.stop();
      updates.close();
    },
  };
}
