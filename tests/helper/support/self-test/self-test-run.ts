import { z } from 'zod';
import { checkName, engine, observer, unchecked } from '../../../../src/main/self-test/verdict.ts';

/** How to run a self-test of the command line's program in this file. */
export const selfTestArgv = (commandLine: string, ...more: string[]): string[] => [
  process.execPath,
  commandLine,
  'self-test',
  ...more,
];

const result = z.object({
  checks: z.array(
    z.object({
      name: checkName,
      engine,
      outcome: z.enum(['passed', 'failed', 'not-checked']),
      seenBy: z.array(observer),
      why: z.optional(unchecked),
      details: z.array(z.string()),
    }),
  ),
  stopped: z.optional(z.string()),
});

/** What it has printed with `--json`. */
export const checksOf = (stdout: string) => result.parse(JSON.parse(stdout)).checks;
