import { rmSync } from 'node:fs';
import path from 'node:path';
import { checkOwnFolder, checkWindow, lowerFloor } from '../check-installation.ts';
import { removeWintunDriver } from './calls/wintun.ts';
import { clearProxies } from './service/clear-proxies.ts';
import { endPrograms, runningPrograms } from './service/end-programs.ts';
import { changeMachinePath } from './service/machine-path.ts';
import { installService, removeService } from './service/service-configuration.ts';
import { startService, stopService } from './service/start-and-stop.ts';
import { sessionsOf, startInSession } from './service/user-sessions.ts';
import { stateFolder } from './state-folder.ts';

/**
 * The program that installers run as an administrator: `node set-up-service.mjs STEP`. The service is the helper's
 * bundle beside it, on the same Node.
 */
const steps: Record<string, (...words: string[]) => unknown> = {
  /** Whether this folder's files are those that were signed, and no older than what has run here. */
  check: () => checkOwnFolder(stateFolder()),
  /** The same of the folder `window` that comes with this one. */
  'check-window': () => checkWindow(path.join(installation(), 'window.new')),
  /** Prints the sessions in which somebody has the window open. */
  'find-window': () => process.stdout.write(sessionsOf(runningPrograms(windowProgram())).join(' ')),
  /** Opens it again in each of these sessions, where the installer is in another one. */
  'open-window'(...sessions: string[]) {
    const failed = sessions.flatMap((session) => {
      try {
        startInSession(windowProgram(), path.dirname(windowProgram()), Number(session));
        return [];
      } catch (error) {
        // Somebody has logged out meanwhile; others have not.
        return [`${session}: ${error instanceof Error ? error.message : String(error)}`];
      }
    });
    if (failed.length > 0) throw new Error(failed.join(', '));
  },
  /** Leaves nobody with proxy settings of ours, while the apps still run that know what was there before. */
  'clear-proxies': () => clearProxies(),
  /** Lets this version run again after a newer one, of which it takes the place. */
  'take-back': () => lowerFloor(stateFolder()),
  /**
   * Ends the service, the window, and all that runs on the Node of the installation, so that their files can be
   * replaced.
   */
  async stop() {
    const end = () => {
      for (const file of [path.join(installation(), 'core', 'node.exe'), windowProgram()]) endPrograms(file);
    };
    await stopService(end);
    end();
  },
  install() {
    const commandLine = `"${process.execPath}" "${path.join(import.meta.dirname, 'helper.mjs')}" --run-as service`;
    for (const setting of installService(commandLine)) console.log(`not on this system: ${setting}`);
  },
  start: startService,
  remove: removeService,
  'add-to-path': () => changeMachinePath('add', path.join(installation(), 'core', 'bin')),
  'remove-from-path': () => changeMachinePath('remove', path.join(installation(), 'core', 'bin')),
  /** What the helper has recorded, and the driver, unless another program uses it. */
  forget() {
    rmSync(stateFolder(), { recursive: true, force: true });
    removeWintunDriver(path.join(import.meta.dirname, 'wintun.dll'));
  },
};

/** The folder with `core`, or with the one that takes its place, in which this program is. */
const installation = () => path.resolve(import.meta.dirname, '../..');

/** See packaging/windows/window-folder.ts. */
const windowProgram = () => path.join(installation(), 'window', 'Waymaker.exe');

const [step = '', ...more] = process.argv.slice(2);
const act = Object.hasOwn(steps, step) ? steps[step] : undefined;
if (!act || (more.length > 0 && step !== 'open-window') || !more.every((word) => /^\d{1,9}$/.test(word))) {
  console.error(`usage: set-up-service.mjs ${Object.keys(steps).join(' | ')}`);
  process.exit(2);
}
try {
  await act(...more);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  // The installer reads it in the code page of the system, whichever that is.
  console.error(message.replaceAll('’', "'"));
  process.exit(1);
}
