import { describe, expect, test } from 'vitest';
import { chooseLanguage } from '../../../src/shared/language.ts';

describe('the language chosen from the browser’s', () => {
  test.each([
    [['en-GB'], 'en'],
    [['zh-CN'], 'zh-hans'],
    [['zh'], 'zh-hans'],
    [['zh-SG', 'en'], 'zh-hans'],
    [['zh-TW'], 'zh-hant'],
    [['zh-HK'], 'zh-hant'],
    [['zh-MO'], 'zh-hant'],
    [['zh-Hant-CN'], 'zh-hant'],
    [['zh-Hans-TW'], 'zh-hans'],
    [['ZH-hant'], 'zh-hant'],
    [['de-DE', 'zh-TW', 'en'], 'zh-hant'],
    [['de-DE', 'fr'], 'en'],
    [[], 'en'],
  ])('%j gives %s', (preferred, expected) => {
    expect(chooseLanguage(preferred)).toBe(expected);
  });
});
