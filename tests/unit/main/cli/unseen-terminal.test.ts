import { expect, test } from 'vitest';
import { mayBeUnseenTerminal } from '../../../../src/main/cli/unseen-terminal.ts';

test.each([
  ['Git Bash', { MSYSTEM: 'MINGW64', TERM: 'xterm' }, true],
  ['Cygwin', { TERM_PROGRAM: 'mintty', TERM: 'xterm' }, true],
  ['PowerShell', {}, false],
  ['another terminal', { TERM_PROGRAM: 'vscode', TERM: 'xterm-256color' }, false],
])('whether a terminal may look like a pipe: %s', (_, env, isOne) => {
  expect(mayBeUnseenTerminal(env)).toBe(isOne);
});
