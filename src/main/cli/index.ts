#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { runInnerPart } from '../self-test/inner-parts.ts';
import { systemSelfTest } from '../self-test/system-self-test.ts';
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

const given = process.argv.slice(2);
const { VITE_APP_VERSION: version } = import.meta.env;
if (!(await runInnerPart(given, systemSelfTest(), version))) process.exitCode = await runCommandLine(given);
// The wait is no longer wanted.
if (process.exitCode === exitCode.interrupted) process.exit();
