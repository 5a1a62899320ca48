import { once } from 'node:events';
import path from 'node:path';
import { buildIfStale } from './build-stamp.ts';
import { writeCommandLine } from './start/command-line.ts';
import { findElectron, runDesktopApp, userData } from './start/desktop-app.ts';
import { startInLaboratory } from './start/laboratory.ts';
import { wantedPorts } from './start/ports.ts';
import { runUntilStopped } from './start/run-until-stopped.ts';
import { startOnThisMachine } from './start/this-machine.ts';
import { whatTheLaboratoryLacks } from './start/requirements.ts';

/**
 * Starts the whole product for trying it: the service, the gateway laboratory and the desktop app. If the laboratory
 * cannot run here, the service and the app run without it, and a line says what is missing. Ctrl-C ends everything.
 */
await runUntilStopped(async (stop) => {
  await using running = new AsyncDisposableStack();
  const stopped = once(stop, 'abort');
  const ports = await wantedPorts(process.env);
  // Downloaded while the rest is built.
  const download = new AbortController();
  running.defer(() => download.abort());
  const electron = findElectron(AbortSignal.any([stop, download.signal]));

  await Promise.race([buildIfStale(), stopped]);
  // A build cannot be ended in another way; an incomplete one does not count as current.
  if (stop.aborted) process.exit(130);

  const lacking = whatTheLaboratoryLacks();
  if (lacking !== undefined) console.log(`No tunnel can be tried here: ${lacking}`);
  const start = lacking === undefined ? startInLaboratory : startOnThisMachine;
  const place = await start(running, ports);
  stop.throwIfAborted();

  console.log(`Web console     ${place.consoleUrl}`);
  console.log(`Read your code  ${place.mailboxUrl} (any email address will do)`);

  const app = await runDesktopApp(await electron, place, running, stop);
  stop.throwIfAborted();
  const commandLine = await writeCommandLine(place, userData);
  console.log(`Command line    ${commandLine} status`);
  for (const line of place.hints(commandLine)) console.log(line);
  console.log(`Log of the app  ${path.relative(process.cwd(), path.join(userData, 'logs/main.log'))}`);
  console.log(`Ctrl-C ends everything${place.machine ? ' and removes the laboratory' : ''}.`);

  await Promise.race([stopped, app.ended]);
  if (!stop.aborted) console.log('Ending …');
});
