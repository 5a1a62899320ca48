import { expect, test } from 'vitest';
import { readPage, sectionsOf, tableRows } from './markdown.ts';

const [bySystem = ''] = sectionsOf(readPage('docs/status.md')).filter((text) => text.includes('| Linux'));
const [head = [], , ...parts] = tableRows(bySystem);
/** A list before the table says what each category means. */
const categories = [...bySystem.matchAll(/^- _([^_]+)_: /gm)].map(([, name = '']) => name);
/** Where there is nothing to see. */
const absences = ['does not apply', 'not offered'];

const beginsWith = (cell: string, words: string) =>
  cell === words || [' ', ',', ':', ';'].some((next) => cell.startsWith(words + next));

test('the page on what has run defines the categories of its table', () => {
  expect(categories).toEqual([
    'run on a real machine',
    'run in the laboratory',
    'run under wine',
    'checked against headers and models',
    'checked with doubles',
    'not checked',
  ]);
  expect(head).toEqual(['part', 'Linux', 'macOS', 'Windows']);
  expect(parts.length).toBeGreaterThan(20);
});

test('each cell of that table begins with one of its categories, or says that there is nothing to check', () => {
  const words = [...categories, ...absences];
  const others = parts.flatMap(([part, ...cells]) =>
    cells.filter((cell) => !words.some((one) => beginsWith(cell, one))).map((cell) => `${part}: ${cell}`),
  );
  expect(others).toEqual([]);
});

test('in that table, only what Windows has is said to have run under wine', () => {
  expect(
    parts.filter(([, linux = '', macos = '']) => /\bwine\b/.test(linux + macos)).map(([part]) => part),
  ).toEqual([]);
});
