import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { manPage, manPageFile } from '../../scripts/man-page/man-page.ts';

test('the manual page is of the commands that there are: run scripts/man-page/write.ts', () => {
  expect(readFileSync(manPageFile, 'utf8')).toBe(manPage(packageJson.version));
});
