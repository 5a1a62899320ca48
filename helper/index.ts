import { outliveOutput } from '#node/os/standard-output.ts';
import { restoreSystem, startDaemon } from './daemon.ts';
import { InstallationRefused } from './check-installation.ts';
import { createLog } from './log.ts';
import { parseOptions } from './options.ts';
import { loadPlatform } from './platform.ts';
import { endConnection } from './rpc/end-connection.ts';

outliveOutput();

const platform = await loadPlatform();
const options = parseOptions(process.argv.slice(2), platform.options);
if (options.isRestore) {
  await restoreSystem(options, platform);
  // Otherwise network watches would keep the process alive.
  process.exit(0);
}

if (options.isDisconnect) {
  await endConnection(options.socket);
  process.exit(0);
}

const supervisor = await platform.findSupervisor(options);
const endRefused = (error: unknown): void => {
  if (!(error instanceof InstallationRefused)) throw error;
  createLog(supervisor.writeLog).error('this installation is not used', error);
  supervisor.end(error.exitCode);
};
const daemon = await startDaemon(options, platform, supervisor.writeLog).catch(endRefused);
if (daemon) {
  supervisor.ready();
  supervisor.onWoken(() => daemon.woken());
  daemon.checked.catch(async (error: unknown) => {
    await daemon.stop();
    endRefused(error);
  });
  await supervisor.told;
  await daemon.stop();
  supervisor.end(0);
}
