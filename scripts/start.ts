import path from 'node:path';
import { buildIfStale } from './build-stamp.ts';
import { writeCommandLine } from './start/command-line.ts';
import { runDesktopApp, userData } from './start/desktop-app.ts';
import { startInLaboratory } from './start/laboratory.ts';
import { wantedPorts } from './start/ports.ts';
import { StartProblem } from './start/start-problem.ts';
import { startOnThisMachine } from './start/this-machine.ts';
import { whatTheLaboratoryLacks } from './start/requirements.ts';

/**
 * The whole product to try: the service, the gateway laboratory and the desktop app. Where the laboratory
 * cannot be, the service and the app run without it, and a line says what is missing. Ctrl-C ends it all.
 */
async function run(): Promise<void> {
  await using running = new AsyncDisposableStack();
  // A terminal's Ctrl-C comes twice: to this process, and by way of the one that started it.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const ports = await wantedPorts(process.env);

  await buildIfStale();

  const lacking = whatTheLaboratoryLacks();
  if (lacking !== undefined) console.log(`No tunnel can be tried here: ${lacking}`);
  const start = lacking === undefined ? startInLaboratory : startOnThisMachine;
  const place = await start(running, ports);

  console.log(`Web console     ${place.consoleUrl}`);
  console.log(`Read your code  ${place.mailboxUrl} (any email address will do)`);

  const app = await runDesktopApp(place, running);
  const commandLine = await writeCommandLine(place, userData);
  console.log(`Command line    ${commandLine} status`);
  for (const line of place.hints(commandLine)) console.log(line);
  console.log(`Log of the app  ${path.relative(process.cwd(), path.join(userData, 'logs/main.log'))}`);
  console.log(`Ctrl-C ends everything${place.machine ? ' and removes the laboratory' : ''}.`);

  await Promise.race([stopped, app.ended]);
  console.log('Ending …');
}

try {
  await run();
} catch (error) {
  console.error(error instanceof StartProblem ? error.message : error);
  process.exitCode = 1;
}
