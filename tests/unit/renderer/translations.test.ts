import { describe, expect, test } from 'vitest';
import { en } from '../../../src/renderer/i18n/en.ts';
import { acceptedTranslations, placeholders } from '../../../src/renderer/i18n/setup.ts';
import { zhHans } from '../../../src/renderer/i18n/zh-hans.ts';
import { zhHant } from '../../../src/renderer/i18n/zh-hant.ts';

const languages = { 'zh-hans': zhHans, 'zh-hant': zhHant };

describe.each(Object.entries(languages))('%s', (_, texts) => {
  test('has every English text and no other', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
  });

  test('has the placeholders of each English text', () => {
    const of = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).map(([key, text]) => [key, placeholders(text)]));
    expect(of(texts)).toEqual(of(en));
  });

  test('translates every text', () => {
    const untranslated = Object.entries(texts).filter(
      ([, text]) => !/\p{Script=Han}|^[^\p{L}]*\{\{/u.test(text),
    );
    // An example address, and a figure between two values, are the same in every language.
    expect(untranslated.map(([key]) => key)).toEqual(['login.emailHint']);
  });
});

test('simplified and traditional texts are not mixed up', () => {
  expect(Object.values(zhHans).join('')).not.toMatch(/[連線裝應帳號驗證碼請錯誤網]/);
  expect(Object.values(zhHant).join('')).not.toMatch(/[连线装应号验证码请错误网]/);
});

describe('the service’s texts', () => {
  test('replace ours', () => {
    expect(acceptedTranslations(en, { 'login.title': 'Welcome' })).toEqual({ 'login.title': 'Welcome' });
  });

  test.each([
    ['an unknown key', { 'no.such': 'x' }],
    ['a key of every object', { constructor: 'x' }],
    ['a text that lost a placeholder', { 'verify.resendIn': 'Wait' }],
    ['a text with a placeholder that is never filled', { 'login.title': 'Hello {{name}}' }],
  ])('are not taken with %s', (_, service) => {
    expect(acceptedTranslations(en, service)).toEqual({});
  });
});

test('the messages of specification §8 are said in its words', () => {
  const messages = [
    'network error, please retry',
    'verification failed, please retry',
    'send failed, please retry',
    'login failed, please retry',
    'error fetching service',
    'connection failed',
    'no server selected',
    'verification code incorrect',
    'please use the desktop app to manage',
    'storage failed',
    'auth state changed',
    'setting route failed',
    'failed to get pac config',
    'login success',
    'code resent',
    'delete failed',
    'error during license key recharge',
    'error during account deletion',
    'error during payment confirmation',
    'license recharge success',
    'account deleted',
    'payment success',
  ];
  const texts = new Set(Object.values(en).map((text) => text.toLowerCase()));
  expect(messages.filter((message) => !texts.has(message))).toEqual([]);
});
