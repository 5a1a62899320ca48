import { expect, test } from 'vitest';
import { preferredLanguage } from '../../../src/service/http/language.ts';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['en', 'en'],
  ['en-GB,en;q=0.9', 'en'],
  ['fr-FR, zh;q=0.1', 'zh-hans'],
  ['fr-FR', 'en'],
  ['zh', 'zh-hans'],
  ['zh-CN', 'zh-hans'],
  ['zh-SG', 'zh-hans'],
  ['zh-hans', 'zh-hans'],
  ['zh-Hans-HK', 'zh-hans'],
  ['zh-TW', 'zh-hant'],
  ['zh-HK', 'zh-hant'],
  ['zh-MO', 'zh-hant'],
  ['ZH-HANT', 'zh-hant'],
  ['en;q=0.5, zh-TW;q=0.8, zh-CN;q=0.7', 'zh-hant'],
  ['zh-TW;q=0, zh-CN', 'zh-hans'],
  ['zh-CN;q=0, en', 'en'],
  ['zh-TW;q=x, en', 'en'],
  ['x'.repeat(100_000), 'en'],
  ['a-b-c-d, zh-x, 1, en-', 'en'],
])('%j is answered in %s', (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
