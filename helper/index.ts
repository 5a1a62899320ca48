import { outliveOutput } from '#node/os/standard-output.ts';
import { restoreSystem, startDaemon } from './daemon.ts';
import { parseOptions } from './options.ts';
import { loadPlatform } from './platform.ts';

outliveOutput();

const platform = await loadPlatform();
const options = parseOptions(process.argv.slice(2), platform.options);
if (options.isRestore) {
  await restoreSystem(options, platform);
  // Otherwise network watches would keep the process alive.
  process.exit(0);
}
const daemon = await startDaemon(options, platform);
platform.notifyReady();

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
