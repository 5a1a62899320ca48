import { restoreSystem, startDaemon } from './daemon.ts';
import { parseOptions } from './options.ts';
import { findPlatform } from './platform.ts';

// Whoever read the log has gone, or has no room: that is no reason to end.
process.stderr.on('error', () => undefined);

const options = parseOptions(process.argv.slice(2));
if (options.isRestore) {
  await restoreSystem(options);
  // Whoever watched the network would go on with that.
  process.exit(0);
}
const daemon = await startDaemon(options);
findPlatform().notifyReady();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
