import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { usageProblem } from '../../../../src/main/cli/usage-problem.ts';
import { createSay } from '#shared/texts/say.ts';

/** What the parser of this version really throws. */
function problemOf(...argv: string[]): string {
  const program = new Command('waymaker').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const name of ['sign-in', 'status', 'connect', 'log']) program.command(name).action(() => undefined);
  program.option('--json');
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError)
      return usageProblem(error, { say: createSay('en', 'linux'), usage: '' }).message;
    throw error;
  }
  throw new Error('it was understood');
}

test.each([
  ['login', 'sign-in'],
  ['up', 'connect'],
  ['statsu', 'status'],
])('%s is not known, and %s is what may be meant', (word, meant) => {
  expect(problemOf(word)).toMatch(new RegExp(`no command “${word}”.\nDid you mean “${meant}”\\?\nRun`));
});

test('an option that is misspelled is told with the one that may be meant', () => {
  expect(problemOf('--jsn')).toContain('Did you mean “--json”?');
});

test('nothing is guessed where nothing is alike', () => {
  expect(problemOf('xyzzy')).not.toContain('mean');
  expect(problemOf('constructor')).not.toContain('mean');
});
