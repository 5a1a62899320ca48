import { windowsSystem } from '../../../src/main/cli/doctor/windows/windows-system.ts';
import { createRunProgram } from '../../../src/main/run-program.ts';
import { findSupervisor } from '../../../helper/windows/service/service.ts';

/**
 * Run under wine: `node system-driver.mjs refused | run PROGRAM WORDS | end CODE`. Prints whether the helper was refused, as
 * the doctor finds it out, or what a program says that the app runs; or is a service that ends with a code.
 */
const [what, word = '', ...words] = process.argv.slice(2);
// As a user who types a command in the folder of their downloads.
process.chdir(import.meta.dirname);
if (what === 'refused') console.log(await windowsSystem.hasHelperRefused());
else if (what === 'run') console.log(await createRunProgram()(word, words));
else {
  const supervisor = await findSupervisor({ stateDirectory: 'C:\\state', runAs: 'service' });
  supervisor.ready();
  supervisor.end(Number(word));
}
