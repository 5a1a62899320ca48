import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { build, Platform } from 'electron-builder';
import { installedPackages, nativePackages } from '../linux/core-tree.ts';
import { product } from '../linux/package-facts.ts';
import type { SigningKeys } from '../manifest/signing-keys.ts';
import { makeMacosCore } from './macos/core-folder.ts';
import { updatesAddress } from '../updates/updates-address.ts';
import { lockedPackage } from '../runtime/locked-package.ts';
import type { Processor } from '../runtime/processors.ts';
import { bundleMain } from './app-bundle.ts';
import { layApp } from './app-folder.ts';
import type { ElectronFiles } from './electron-program.ts';
import { installerConfiguration, installers, type InstallerPlatform } from './installer-configuration.ts';

/** Makes the installers of this system by electron-builder, and resolves with their paths. */
export async function makeInstallers(options: {
  platform: InstallerPlatform;
  electron: ElectronFiles;
  folder: string;
  keys: SigningKeys;
  progress: (line: string) => void;
}): Promise<string[]> {
  const { platform, electron, folder, keys, progress } = options;
  const { what } = installers[platform];
  const scratch = await mkdtemp(path.join(folder, 'installers-'));
  try {
    const app = path.join(scratch, 'app');
    const updatesUrl = updatesAddress(process.env['WAYMAKER_UPDATES_URL']);
    const main = await bundleMain(path.join(scratch, 'bundles'), keys.publicKeys, updatesUrl);
    const packages = nativePackages(process.arch as Processor, installedPackages, platform);
    await layApp(app, { main: main.file, version: product.version, packages });
    const core = path.join(scratch, 'core');
    if (platform === 'darwin') {
      const problem = keys.isTest ? undefined : whyNotNotarised(process.env);
      if (problem !== undefined) throw new Error(`no release for macOS can be made: ${problem}`);
      await makeMacosCore({
        processor: process.arch as Processor,
        folder: core,
        scratch,
        kept: path.join(folder, '.fetched'),
        version: product.version,
        keys,
        identity: signingIdentity(process.env),
      });
    }
    const { version } = await lockedPackage('electron');
    const config = installerConfiguration({
      platform,
      app,
      electron: { folder: electron.folder, version },
      ...(platform === 'darwin' && { core }),
      folder: path.join(folder, 'installers'),
    });
    progress(what);
    const targets = systems[platform].createTarget([...installers[platform].targets]);
    const made = await build({ projectDir: app, config, targets });
    return made.filter((file) => !file.endsWith('.blockmap'));
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/**
 * The name of Apple's certificate in the keychain, with which electron-builder signs the app, too. Undefined: nothing
 * is signed, for a trial. Throws if only electron-builder would find a certificate.
 */
export function signingIdentity(env: NodeJS.ProcessEnv): string | undefined {
  const { CSC_NAME: name, CSC_LINK: link } = env;
  if (name === undefined && link !== undefined)
    throw new Error(
      'CSC_LINK is set, but not CSC_NAME: the helper is signed with a certificate in the keychain',
    );
  return name;
}

/** By what Apple knows who asks, of which electron-builder takes one kind (app-builder-lib, MacTargetHelper). */
const accounts = [
  ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
  ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
  ['APPLE_KEYCHAIN_PROFILE'],
] as const;

/**
 * Why Apple would not notarise the app and its package, which then open on no Mac; undefined if it would.
 * electron-builder only says so, and goes on (parsec-cloud 12717).
 */
export function whyNotNotarised(env: NodeJS.ProcessEnv): string | undefined {
  if (signingIdentity(env) === undefined) return 'CSC_NAME does not name a certificate of Apple’s';
  if (accounts.some((names) => names.every((name) => env[name]))) return undefined;
  const choices = accounts.map((names) => names.join(' with ')).join(', or ');
  return `Apple’s notarisation needs ${choices}`;
}

const systems = { darwin: Platform.MAC, linux: Platform.LINUX } as const;
