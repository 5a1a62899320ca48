import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Preloaded into a helper: at SIGUSR2 it collects its garbage, and writes to the file MEMORY_FILE how many bytes of
 * memory it still uses (`process.memoryUsage`), as JSON.
 */
const file = process.env['MEMORY_FILE'];
// Programs that the helper starts have its environment, or none.
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
    renameSync(`${file}.new`, file);
  });
}
