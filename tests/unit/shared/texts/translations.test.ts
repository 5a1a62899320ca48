import { describe, expect, test } from 'vitest';
import { commandTexts } from '#shared/texts/command-texts.ts';
import { desktopTexts } from '#shared/texts/desktop-texts.ts';
import { en } from '#shared/texts/en.ts';
import type { TextKey, Texts } from '#shared/texts/texts.ts';
import { mailTexts } from '#shared/texts/mail-texts.ts';
import { acceptedTranslations, placeholders } from '#shared/texts/placeholders.ts';
import { updateTexts } from '#shared/texts/update-texts.ts';
import { zhHans } from '#shared/texts/zh-hans.ts';
import { zhHant } from '#shared/texts/zh-hant.ts';

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

  test('ends a text with a full stop where the English one does', () => {
    const ended = (all: Record<string, string>) =>
      Object.keys(all).filter((key) => /[.。]$/u.test(all[key] ?? ''));
    expect(ended(texts).sort()).toEqual(ended(en).sort());
  });

  test('translates every text', () => {
    const untranslated = Object.entries(texts).filter(
      ([, text]) => !/\p{Script=Han}|^[^\p{L}]*\{\{/u.test(text),
    );
    // An example address, and a figure between two values, are the same in every language.
    expect(untranslated.map(([key]) => key)).toEqual(['login.emailHint']);
  });
});

test.each(Object.entries({ en, ...languages }))(
  'in %s, what a button is named for screen readers contains what is seen on it (WCAG 2.2, 2.5.3)',
  (_, texts: Texts) => {
    const shownOn = (key: string) => (texts as Record<string, string>)[key.replace(/Named$/, '')];
    const named = Object.entries(texts).filter(
      ([key]) => key.endsWith('Named') && shownOn(key) !== undefined,
    );
    expect(named.length).toBeGreaterThan(5);
    const others = named.filter(
      ([key, name]) => !name.toLowerCase().includes(shownOn(key)?.toLowerCase() ?? ''),
    );
    expect(others.map(([key]) => key)).toEqual([]);
  },
);

test.each(['zh-hans', 'zh-hant'] as const)(
  'the texts of the desktop, its updates, the command line and the mails in %s have each English placeholder',
  (language) => {
    const of = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).map(([key, text]) => [key, placeholders(text)]));
    expect(of(desktopTexts[language])).toEqual(of(desktopTexts.en));
    expect(of(commandTexts[language])).toEqual(of(commandTexts.en));
    expect(of(updateTexts[language])).toEqual(of(updateTexts.en));
    expect(of(mailTexts[language])).toEqual(of(mailTexts.en));
  },
);

test('no two texts have the same key, by which operators replace them', () => {
  const all = [en, desktopTexts.en, updateTexts.en, commandTexts.en, mailTexts.en];
  const keys = all.flatMap((texts) => Object.keys(texts));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
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

/** Every quoted message of specification §2, §5 and §8, and §8's success toasts, with the text that says it. */
const messages = {
  // §2
  'please use the desktop app to manage': 'notice.title',
  'back home': 'notFound.back',
  // §5
  'app name cannot be empty': 'appForm.nameMissing',
  'please enter a valid URL': 'appForm.linkInvalid',
  'priority range: 0-100': 'appForm.priorityRange',
  'error during payment confirmation': 'confirm.error',
  // §8
  'verification code incorrect': 'verify.incorrect',
  'auth state changed': 'error.authChanged',
  'network error, please retry': 'error.network',
  'verification failed, please retry': 'error.verification',
  'send failed, please retry': 'error.send',
  'login failed, please retry': 'error.login',
  'error fetching service': 'error.service',
  'error saving app': 'error.appSave',
  'error adding member': 'error.memberAdd',
  'error during license key recharge': 'redeem.failed',
  'error during account deletion': 'selfDelete.failed',
  'connection failed': 'connect.failed',
  'setting route failed': 'error.routing',
  'failed to get PAC config': 'error.pac',
  'no server selected': 'connect.noServerSelected',
  'storage failed': 'error.storage',
  'delete failed': 'error.delete',
  'clear failed': 'error.clear',
  'login success': 'verify.success',
  'code resent': 'verify.resent',
  'app created': 'appForm.created',
  'app updated': 'appForm.updated',
  'member added': 'members.added',
  'license recharge success': 'redeem.success',
  'account deleted': 'selfDelete.success',
  'payment success': 'confirm.success',
} as const satisfies Record<string, TextKey>;

test.each(Object.entries(messages))('the specification’s ‘%s’ is said in its words', (message, key) => {
  // A sentence of the pages begins with a capital.
  expect(en[key]).toBe(message.charAt(0).toUpperCase() + message.slice(1));
});
