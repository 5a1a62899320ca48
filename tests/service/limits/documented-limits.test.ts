import { readFileSync } from 'node:fs';
import path from 'node:path';
import { authCodeLength, authCodeMaxTries } from '#shared/constants.ts';
import { expect, test } from 'vitest';
import { defaultLimits, type Limit } from '../../../src/service/limits/limits.ts';

const documentation = readFileSync(
  path.resolve(import.meta.dirname, '../../../docs/sign-in-limits.md'),
  'utf8',
);
const rows = documentation
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, name]) => name?.startsWith('`'))
  .map(([, name = '', ...cells]) => ({ name: name.replaceAll('`', ''), cells }));
const limitRows = rows.slice(0, Object.keys(defaultLimits).length);
const botnetRows = rows.slice(limitRows.length);

test('the documentation has the limits that there are', () => {
  const documented = limitRows.map(({ name, cells: [burst, perHour] }) => [
    name,
    { burst: Number(burst), perHour: Number(perHour) },
  ]);
  expect(Object.fromEntries(documented)).toEqual(defaultLimits);
});

test('what a botnet can guess is calculated from them', () => {
  const [sources, accounts] = [5000, 50_000];
  const tries = authCodeMaxTries;
  const { codesPerAccount, codesPerSource, guessesPerSource, codesInAll, guessesInAll } = defaultLimits;
  const guesses: [string, Limit, number][] = [
    ['codesPerAccount', codesPerAccount, accounts * tries],
    ['codesPerSource', codesPerSource, sources * tries],
    ['guessesPerSource', guessesPerSource, sources],
    ['codesInAll', codesInAll, tries],
    ['guessesInAll', guessesInAll, 1],
  ];
  const expected = guesses.map(([name, { burst, perHour }, times]) => [
    name,
    ((burst + perHour) * times).toLocaleString('en'),
    (perHour * times).toLocaleString('en'),
  ]);
  expect(botnetRows.map(({ name, cells: [first, after] }) => [name, first, after])).toEqual(expected);
  const least = Math.min(...guesses.map(([, { perHour }, times]) => perHour * times));
  const hours = 10 ** authCodeLength / least;
  expect(documentation.replaceAll('\n', ' ')).toContain(
    `${least.toLocaleString('en')} in each hour after that**`,
  );
  expect(documentation.replaceAll('\n', ' ')).toContain(
    `one account in ${hours.toLocaleString('en')} hours, ${Math.round(hours / 24)} days`,
  );
});
