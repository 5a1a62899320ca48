import { expect, test } from 'vitest';
import {
  visibleCountries,
  type NamedCountry,
} from '../../../../../../src/renderer/features/settings/routing/country-rows.ts';

const named = [
  ['aq', 'Antarctica'],
  ['br', 'Brazil'],
  ['ci', 'Côte d’Ivoire'],
  ['cn', 'China'],
  ['de', 'Germany'],
  ['fr', 'France'],
  ['gb', 'United Kingdom'],
  ['jp', 'Japan'],
  ['us', 'United States'],
] as const;
const all: NamedCountry[] = named.map(([country, name]) => ({ country, name }));
const seen = (query: string, kept: string[] = [], list = all) =>
  visibleCountries(list, new Set(kept), query).map(({ country }) => country);

test('a few countries are all there', () => {
  expect(seen('', [], all.slice(0, 8))).toHaveLength(8);
  expect(seen('zzz', [], all.slice(0, 8))).toHaveLength(8);
});

test('many countries are shown only if they were chosen, until somebody searches', () => {
  expect(seen('')).toEqual([]);
  expect(seen(' ', ['jp'])).toEqual(['jp']);
  expect(seen('united', ['jp'])).toEqual(['gb', 'jp', 'us']);
});

test('a search finds words by their beginning, without accents, and codes', () => {
  expect(seen('COTE')).toEqual(['ci']);
  expect(seen('king')).toEqual(['gb']);
  expect(seen('united k')).toEqual(['gb']);
  expect(seen('de')).toEqual(['de']);
  expect(seen('ina')).toEqual([]);
  expect(seen('(')).toEqual([]);
  expect(seen('國', [], [...all, { country: 'tw', name: '中華民國' }])).toEqual(['tw']);
});
