import { expect, test } from 'vitest';
import { experienceOn, experiences } from '../../../src/main/cli/doctor/experience.ts';
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
  expect(categories).toEqual([...experiences]);
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

test('the doctor says of each system what that table says of it', () => {
  const systems = ['linux', 'macos', 'windows'] as const;
  const inTable = systems.map((system, index) => {
    const cells = parts.map((row) => ({ part: row[0], cell: row[index + 1] ?? '' }));
    const protection = cells.find(({ part }) => part === 'kill switch, leaks, everything restored');
    const seen = (cell = '') => experiences.find((one) => beginsWith(cell, one));
    const best = experiences.find((one) => cells.some(({ cell }) => seen(cell) === one));
    return [system, { protection: seen(protection?.cell), best }];
  });
  expect(experienceOn).toEqual(Object.fromEntries(inTable));
});
