import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withoutWideCharacters } from '../../../scripts/one-byte-text.ts';

const literals = [
  "'can’t'",
  '"\\\\’"',
  "'a\\’b'",
  '`${1 + 1} … 隧道 \\` 😀 \\n`',
  "/^[’“]|\\’$/.test('’')",
  "/^\\\\’$/.test('\\\\’')",
  "/^.$/u.test('😀')",
  "'é stays'",
];

test.each(literals)('%s means the same with one byte for each character', (literal) => {
  const code = withoutWideCharacters(literal);
  expect(code).toMatch(/^[\0-\u00ff]*$/);
  expect(runInThisContext(code)).toEqual(runInThisContext(literal));
});
