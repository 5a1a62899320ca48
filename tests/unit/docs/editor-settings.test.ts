import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import formatting from '../../../.oxfmtrc.json' with { type: 'json' };
import { root } from './markdown.ts';

test('editors break lines where the formatter does', () => {
  const editors = readFileSync(path.join(root, '.editorconfig'), 'utf8');
  expect(/^max_line_length = (.*)$/m.exec(editors)?.[1]).toBe(String(formatting.printWidth));
});
