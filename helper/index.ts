import { outliveOutput } from '#node/os/standard-output.ts';
import { restoreSystem, startDaemon } from './daemon.ts';
import { InstallationRefused } from './check-installation.ts';
import { createLog } from './log.ts';
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

const endRefused = (error: unknown): never => {
  if (!(error instanceof InstallationRefused)) throw error;
  createLog().error('this installation is not used', error);
  process.exit(error.exitCode);
};
const daemon = await startDaemon(options, platform).catch(endRefused);
platform.notifyReady();
daemon.checked.catch(async (error: unknown) => {
  await daemon.stop();
  endRefused(error);
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => {
    void daemon.stop().then(() => process.exit(0));
  });
}
