import { startDaemon } from './daemon.ts';
import { notifyReady } from './linux/sd-notify.ts';
import { parseOptions } from './options.ts';

const daemon = await startDaemon(parseOptions(process.argv.slice(2)));
notifyReady();

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
