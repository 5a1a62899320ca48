#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { insideWord } from '../self-test/inside-word.ts';
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

const [first, second = ''] = process.argv.slice(2);
if (first === insideWord) await systemSelfTest(process.platform)?.inside(second);
else process.exitCode = await runCommandLine(process.argv.slice(2));
// The wait is no longer wanted.
if (process.exitCode === exitCode.interrupted) process.exit();
