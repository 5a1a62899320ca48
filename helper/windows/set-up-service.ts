import path from 'node:path';
import { installService, removeService } from './service/service-configuration.ts';

/**
 * The program that installers run as an administrator: `node set-up-service.mjs install | remove`. The service is the
 * helper's bundle beside it, on the same Node.
 */
const [what, ...more] = process.argv.slice(2);
if (more.length > 0 || (what !== 'install' && what !== 'remove')) {
  console.error('usage: set-up-service.mjs install | remove');
  process.exit(2);
}
if (what === 'remove') await removeService();
else {
  const commandLine = `"${process.execPath}" "${path.join(import.meta.dirname, 'helper.mjs')}" --run-as service`;
  for (const setting of installService(commandLine)) console.log(`not on this system: ${setting}`);
}
