import type { DesktopApp, LaunchOptions } from './desktop-app.ts';
import { electronBinary } from './electron-binary.ts';
import { launchElectron } from './electron-host.ts';
import { launchInStandIn } from './stand-in-host.ts';

/** Starts the built app in real Electron where there is one, else in the stand-in. */
export async function launchDesktopApp(options: LaunchOptions): Promise<DesktopApp> {
  const binary = electronBinary();
  return binary === undefined ? await launchInStandIn(options) : await launchElectron(binary, options);
}
