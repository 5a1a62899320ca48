#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { runCommandLine } from './run-command-line.ts';

/** Set if the result could not be written. */
let unwritten: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, like `head -1`; the command continues anyway.
  if (error.code !== 'EPIPE') unwritten ??= error;
});
process.stderr.on('error', () => undefined);
process.on('exit', () => {
  if (unwritten === undefined) return;
  process.exitCode = exitCode.failed;
  process.stderr.write(`${unwritten.message}\n`);
});

process.exitCode = await runCommandLine(process.argv.slice(2));
// The wait is no longer wanted.
if (process.exitCode === exitCode.interrupted) process.exit();
