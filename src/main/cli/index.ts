#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { runCommandLine } from './run-command-line.ts';

/** Why the result could not be written, once that is known. */
let unwritten: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads has had enough, as `head -1` has: what the command does is done all the same.
  if (error.code !== 'EPIPE') unwritten ??= error;
});
process.stderr.on('error', () => undefined);
process.on('exit', () => {
  if (unwritten === undefined) return;
  process.exitCode = exitCode.failed;
  process.stderr.write(`${unwritten.message}\n`);
});

process.exitCode = await runCommandLine(process.argv.slice(2));
// What was waited for is not wanted any more.
if (process.exitCode === exitCode.interrupted) process.exit();
