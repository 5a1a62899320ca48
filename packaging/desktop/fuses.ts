import { flipFuses, FuseState, FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';

/** The systems that Electron's binaries are for. */
export type ElectronPlatform = 'darwin' | 'linux' | 'win32';

/**
 * What a packaged Electron may do: nothing but to run the app. Nothing needs it as a plain Node: the helper, the proxy,
 * the command line and the daemon have a runtime of their own. By the names that electron-builder has for them.
 */
export const fuseSettings = (platform: ElectronPlatform) =>
  ({
    runAsNode: false,
    enableCookieEncryption: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    // Only there does Electron check it, and ends if it finds no hash to compare with:
    // https://www.electronjs.org/docs/latest/tutorial/asar-integrity
    enableEmbeddedAsarIntegrityValidation: platform !== 'linux',
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    // Pages have a scheme of their own.
    grantFileProtocolExtraPrivileges: false,
  }) as const;
type FuseName = keyof ReturnType<typeof fuseSettings>;

const settingsFor = (platform: ElectronPlatform) =>
  Object.entries(fuseSettings(platform)) as [FuseName, boolean][];

const optionOf = (name: FuseName): FuseV1Options => {
  const key = `${name[0]?.toUpperCase()}${name.slice(1)}` as keyof typeof FuseV1Options;
  return FuseV1Options[key];
};

/** Sets the fuses in Electron's binary for a system, and throws unless they read back as they were set. */
export async function setFuses(binary: string, platform: ElectronPlatform): Promise<void> {
  const config = Object.fromEntries(settingsFor(platform).map(([name, value]) => [optionOf(name), value]));
  await flipFuses(binary, { version: FuseVersion.V1, ...config });
  const wrong = await wrongFuses(binary, platform);
  if (wrong.length > 0) throw new Error(`${binary} does not keep its fuses: ${wrong.join(', ')}`);
}

/** The names of those fuses that are not set as they have to be. */
export async function wrongFuses(binary: string, platform: ElectronPlatform): Promise<string[]> {
  const wire = await getCurrentFuseWire(binary);
  return settingsFor(platform).flatMap(([name, value]) =>
    wire[optionOf(name)] === (value ? FuseState.ENABLE : FuseState.DISABLE) ? [] : [name],
  );
}
