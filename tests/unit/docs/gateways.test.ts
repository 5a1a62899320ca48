import { expect, test } from 'vitest';
import { en } from '#shared/texts/en.ts';
import { notYet } from '../../peers/not-ours.ts';
import { readPage, tableRows } from './markdown.ts';

const rows = tableRows(readPage('docs/gateways.md'));
/** What a gateway may want that is not supported, and what the user is told then. */
const unsupported = rows.flatMap(([wish = '', words = '']) =>
  words.startsWith('_') ? [{ wish, words: words.replace(/^_|_$/g, '') }] : [],
);

test('what the user is told of each thing that is not supported yet are words of the app', () => {
  const texts: string[] = Object.values(en);
  expect(unsupported.length).toBeGreaterThan(5);
  expect(unsupported.filter(({ words }) => !texts.includes(words))).toEqual([]);
});

test('every test of the peers that we do not pass yet stands there', () => {
  const reasons = Object.values(notYet).flatMap((scripts) => Object.values(scripts));
  const wishes = unsupported.map(({ wish }) => wish);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => !wishes.includes(reason))).toEqual([]);
});
