#!/usr/bin/env node
import { exitCode } from './exit-code.ts';
import { runCommandLine } from './run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
// What was waited for is not wanted any more.
if (process.exitCode === exitCode.interrupted) process.exit();
