import { windowsInstaller } from '../../../../src/main/updates/windows/start-installer.ts';

/**
 * Run under wine: `node installer-driver.mjs [INSTALLER]`. Says, as JSON, whether one runs, or what becomes of this
 * one.
 */
const [file] = process.argv.slice(2);
let isBegun = false;
const onBegun = () => {
  isBegun = true;
};
const outcome =
  file === undefined
    ? await windowsInstaller.isRunning()
    : [await windowsInstaller.start(file, { opensAgain: false, onBegun }), isBegun];
console.log(JSON.stringify(outcome));
