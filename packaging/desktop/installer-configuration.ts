import path from 'node:path';
import type { Configuration } from 'electron-builder';
import { appId } from '../../src/node/manifest/app-identity.ts';
import { product } from '../linux/package-facts.ts';
import { fuseSettings } from './fuses.ts';
import { iconFile } from './icons.ts';
import { coreInApp, entitlements } from './macos/core-folder.ts';
import { expectSignedApp } from './macos/check-signed-app.ts';

/**
 * The installers that electron-builder makes, by the system that each is for and is made on; that for Windows is
 * packaging/windows.
 */
export const installers = {
  // An image that the app is dragged out of could not start the helper.
  darwin: { what: 'pkg for macOS', targets: ['pkg'] },
  linux: { what: 'AppImage for Linux', targets: ['AppImage'] },
} as const;
export type InstallerPlatform = keyof typeof installers;

/** What installs and removes the helper; electron-builder packs the whole folder `installer`. */
const macosResources = path.resolve(import.meta.dirname, '../../resources/macos');

/** Where Electron has its texts in the app's other languages, and ours that macOS shows are beside them. */
const chinese = ['zh_CN.lproj', 'zh_TW.lproj'] as const;

/** Why each installer cannot be made here, by what it is; without those that can. */
export function onlyConfigured(
  platform: NodeJS.Platform,
  electron: object | undefined,
): Record<string, string> {
  const reasons = Object.entries(installers).flatMap(([its, { what }]) => {
    if (its !== platform) return [[what, `it is made on ${systemNames[its as InstallerPlatform]}`]];
    return electron ? [] : [[what, noElectron]];
  });
  return Object.fromEntries(reasons) as Record<string, string>;
}

export const noElectron = 'Electron’s binary is not here; node node_modules/electron/install.js fetches it';

const systemNames: Record<InstallerPlatform, string> = { darwin: 'macOS', linux: 'Linux' };

/**
 * What electron-builder is told; its project is `app`, a folder as `layApp` lays it. `electron` has that of Electron's
 * binary.
 */
export function installerConfiguration(options: {
  platform: InstallerPlatform;
  app: string;
  electron: { folder: string; version: string };
  /** The helper's folder, which is signed already; only macOS's package has one. */
  core?: string;
  /** Where installers go. */
  folder: string;
}): Configuration {
  const { platform, app, electron, core, folder } = options;
  return {
    appId,
    productName: 'Waymaker',
    copyright: `${product.licence} licence`,
    directories: { output: folder },
    // The app is complete: its packages are in its bundle, and those with native parts beside it.
    files: ['out/**/*', 'package.json', { from: path.join(app, 'node_modules'), to: 'node_modules' }],
    npmRebuild: false,
    asar: true,
    asarUnpack: ['**/*.node'],
    electronDist: electron.folder,
    electronVersion: electron.version,
    electronFuses: fuseSettings(platform),
    protocols: [{ name: 'Waymaker', schemes: ['waymaker'] }],
    icon: iconFile(512),
    // Nothing is published by whoever makes a package.
    publish: null,
    mac: {
      target: ['pkg'],
      category: 'public.app-category.utilities',
      hardenedRuntime: true,
      entitlements,
      entitlementsInherit: entitlements,
      // Without it, macOS 15 and later may refuse addresses of the local network and ask nobody (emdash 2984).
      extendInfo: {
        NSLocalNetworkUsageDescription:
          'Waymaker reaches gateways, proxies and sign-in pages that are on your own network.',
      },
      extraResources: [
        ...chinese.map((texts) => ({ from: path.join(macosResources, texts), to: texts })),
        { from: path.join(macosResources, 'uninstall'), to: 'uninstall' },
        ...(core === undefined ? [] : [{ from: core, to: coreInApp }]),
      ],
      // Signed again, its programs would no longer match its list of files.
      signIgnore: [`/Contents/Resources/${coreInApp}/`],
    },
    // Its script takes the helper out of the app at its usual place: no other place, or copy, may be chosen.
    pkg: {
      scripts: path.join(macosResources, 'installer'),
      allowAnywhere: false,
      allowCurrentUserHome: false,
      isRelocatable: false,
      // Its files are exchanged: Apple's installer asks to close it first.
      mustClose: [appId],
    },
    // Only where something was signed.
    afterSign: platform === 'darwin' ? expectSignedApp : null,
    linux: {
      target: ['AppImage'],
      executableName: 'waymaker',
      category: 'Network',
      executableArgs: ['--'],
    },
  };
}
