import { expect, test } from 'vitest';
import { chooseLanguage, preferredTag } from '#shared/language.ts';
import { desktopLanguage, systemLanguages } from '../../../src/main/environment.ts';

test.each([
  [{ LANG: 'zh_TW.UTF-8' }, 'zh-hant'],
  [{ LANG: 'zh_TW.Big5' }, 'zh-hant'],
  [{ LANG: 'zh_CN.GB18030@pinyin' }, 'zh-hans'],
  [{ LANG: 'yue_HK.UTF-8' }, 'zh-hant'],
  [{ LANGUAGE: 'zh_TW:en', LANG: 'en_US.UTF-8' }, 'zh-hant'],
  [{ LANGUAGE: 'xx:zh_CN:en', LC_ALL: '', LANG: 'en_US.UTF-8' }, 'zh-hans'],
  [{ LANGUAGE: 'en:zh_CN', LANG: 'zh_TW.UTF-8' }, 'en'],
  [{ LANGUAGE: 'de:fr', LANG: 'zh_HK.UTF-8' }, 'zh-hant'],
  [{ LANGUAGE: '', LANG: 'zh_SG.UTF-8' }, 'zh-hans'],
  [{ LANGUAGE: 'zh_TW', LANG: 'en' }, 'zh-hant'],
  [{ LANGUAGE: ':zh_TW:', LANG: 'en_US.UTF-8' }, 'zh-hant'],
  [{ LC_MESSAGES: 'zh_TW.UTF-8', LANG: 'zh_CN.UTF-8' }, 'zh-hant'],
  // Whoever wants no translation gets none, whatever LANGUAGE says.
  [{ LANGUAGE: 'zh_TW', LC_ALL: 'C' }, 'en'],
  [{ LANGUAGE: 'zh_TW', LC_ALL: 'C.UTF-8', LANG: 'zh_TW.UTF-8' }, 'en'],
  [{ LANGUAGE: 'zh_TW', LANG: 'POSIX' }, 'en'],
  [{ LANGUAGE: 'zh_TW' }, 'en'],
  [{}, 'en'],
])('%j is %s, for the command line and for the core', (env, language) => {
  expect(chooseLanguage(systemLanguages(env))).toBe(language);
  expect(chooseLanguage([preferredTag(systemLanguages(env))])).toBe(language);
});

test.each([
  [{ LANGUAGE: 'zh_TW:en', LANG: 'en_US.UTF-8' }, 'zh-hant'],
  [{ LANGUAGE: 'xx:zh_CN', LC_ALL: 'de_DE.UTF-8', LANG: 'en_US.UTF-8' }, 'zh-hans'],
  [{ LC_MESSAGES: 'zh_TW.UTF-8', LANG: 'zh_CN.UTF-8' }, 'zh-hant'],
  [{ LANGUAGE: 'en', LANG: 'zh_TW.UTF-8' }, 'en'],
  [{ LANG: 'de_DE.UTF-8' }, 'en'],
  // These name no language, so that Chromium's stays.
  [{ LANGUAGE: 'zh_TW', LC_ALL: 'C' }, 'zh-hans'],
  [{ LANGUAGE: 'zh_TW', LANG: 'C.UTF-8' }, 'zh-hans'],
  [{ LANG: 'POSIX' }, 'zh-hans'],
  [{ LANGUAGE: 'zh_TW' }, 'zh-hans'],
  [{}, 'zh-hans'],
])('with %j, a desktop whose Chromium says zh-CN is %s', (env, language) => {
  expect(chooseLanguage([desktopLanguage(env, 'linux', 'zh-CN')])).toBe(language);
  expect(desktopLanguage(env, 'darwin', 'zh-CN')).toBe('zh-CN');
});
