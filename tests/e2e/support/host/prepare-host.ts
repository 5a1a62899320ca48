import { existsSync } from 'node:fs';
import { bundlePrograms } from '../../../lab/runs/programs.ts';
import { electronBinary } from './electron-binary.ts';
import { builtMain } from './paths.ts';
import { startE2eDatabases } from '../service/service-databases.ts';
import { startVirtualDisplay, type VirtualDisplay } from './virtual-display.ts';

/**
 * Says once which host the run uses, so that nobody takes the one for the other, and gives Electron a display where
 * there is none; bundles the programs that tests start, and starts the services' database server. Returns what ends
 * that.
 */
export default async function prepareHost(): Promise<() => Promise<void>> {
  if (!existsSync(builtMain)) throw new Error('out/main is missing: run `npm run build` first');
  const binary = electronBinary();
  console.log(
    binary === undefined
      ? 'e2e host: stand-in (no Electron binary here): the built app in Node, its windows in Chromium'
      : `e2e host: Electron at ${binary}`,
  );
  if (process.getuid?.() !== 0)
    console.log('e2e: without root the laboratory is missing; its tests are skipped');

  await bundlePrograms('e2e');
  const stopDatabases = await startE2eDatabases();
  const display = await startDisplay(binary);
  return async () => {
    await display?.close();
    await stopDatabases();
  };
}

/** For Electron, where there is none. */
async function startDisplay(binary: string | undefined): Promise<VirtualDisplay | undefined> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (binary === undefined || process.platform !== 'linux' || (DISPLAY ?? WAYLAND_DISPLAY)) return undefined;
  const display = await startVirtualDisplay();
  // The workers are started later, with this process's environment.
  process.env['DISPLAY'] = display.name;
  return display;
}
