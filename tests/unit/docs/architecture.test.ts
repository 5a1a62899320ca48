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

test('how to add a system names every file that may know which system this is', async () => {
  // Plain JavaScript, for the linter.
  const { mayKnowSystem } = (await import(path.join(root, 'scripts/lint/houses.js'))) as {
    mayKnowSystem: Record<string, string>;
  };
  const files = Object.keys(mayKnowSystem);
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(files.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
});
