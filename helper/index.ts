import { restoreSystem, startDaemon } from './daemon.ts';
import { parseOptions } from './options.ts';
import { findPlatform } from './platform.ts';

// The reader of the log is gone or full, which is no reason to end.
process.stderr.on('error', () => undefined);

const options = parseOptions(process.argv.slice(2));
if (options.isRestore) {
  await restoreSystem(options);
  // Otherwise network watches would keep the process alive.
  process.exit(0);
}
const daemon = await startDaemon(options);
findPlatform().notifyReady();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
