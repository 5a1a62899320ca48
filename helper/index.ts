import { startDaemon } from './daemon.ts';
import { parseOptions } from './options.ts';
import { findPlatform } from './platform.ts';

const daemon = await startDaemon(parseOptions(process.argv.slice(2)));
findPlatform().notifyReady();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
