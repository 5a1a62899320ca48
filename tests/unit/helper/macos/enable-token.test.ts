import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEnableToken } from '../../../../helper/macos/filter/enable-token.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'waymaker-token-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the token is kept for the next helper, which nobody else can read, and removed', () => {
  const file = path.join(directory, 'token');
  const token = createEnableToken(file);
  expect(token.read()).toBeUndefined();
  token.write('10051342025653898869');
  expect(createEnableToken(file).read()).toBe('10051342025653898869');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  token.remove();
  token.remove();
  expect(token.read()).toBeUndefined();
});

test.each(['', 'x', '-1', '1 2', '1'.repeat(30)])(
  'a file with %j instead of a token counts as no token',
  (content) => {
    const file = path.join(directory, 'token');
    writeFileSync(file, content);
    expect(createEnableToken(file).read()).toBeUndefined();
  },
);
