import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root } from './markdown.ts';

const page = readPage('docs/architecture.md');

/** Files and folders of the repository that a text names, but for those with a placeholder such as SYSTEM. */
const namedPlaces = (text: string) =>
  [...text.matchAll(/`((?:src|helper|tests|scripts|packaging|resources|docs)\/[\w./-]*)`/g)]
    .map(([, place = '']) => place)
    .filter((place) => !/\b[A-Z]{4,}\b/.test(place));
const missing = (text: string) => namedPlaces(text).filter((place) => !existsSync(path.join(root, place)));

test('the files and folders that the architecture names are there', () => {
  expect(namedPlaces(page).length).toBeGreaterThan(100);
  expect(missing(page)).toEqual([]);
  expect(missing('`helper/none.ts`, `helper/SYSTEM/none.ts`, `helper/linux`')).toEqual(['helper/none.ts']);
});

test('how to add a system names every file that asks which system this is', async () => {
  // Plain JavaScript, for the linter.
  const { systemChoosers } = (await import(path.join(root, 'scripts/lint/houses.js'))) as {
    systemChoosers: Record<string, string>;
  };
  const choosers = Object.entries(systemChoosers).map(([subject, file]) => `${subject}/${file}`);
  expect(choosers.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
});
