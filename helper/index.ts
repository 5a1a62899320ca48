import { startDaemon } from './daemon.ts';
import { tellReady } from './linux/tell-ready.ts';
import { parseOptions } from './options.ts';

const daemon = await startDaemon(parseOptions(process.argv.slice(2)));
tellReady();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
