import { describe, expect, test } from 'vitest';
import { isAuthCode, isEmail, sanitizeNextPath } from '#shared/validation.ts';

describe('login email: word characters, optional dots or dashes, @, domain, 2-3 letter TLD', () => {
  test.each(['a@b.co', 'first.last@example.com', 'a-b@mail.example.org', 'x_1@ex-ample.net'])(
    '%s is accepted',
    (email) => expect(isEmail(email)).toBe(true),
  );

  test.each([
    '',
    'a',
    'a@b',
    'a@b.c',
    'a@b.info',
    'a b@c.de',
    '@b.de',
    'a..b@c.de',
    'a@b.de\n',
    'a@b.de,c@d.ef',
    `${'a'.repeat(250)}@b.de`,
  ])('%j is refused', (email) => expect(isEmail(email)).toBe(false));

  test('a hostile text is judged at once', () => {
    expect(isEmail(`${'a.'.repeat(100_000)}@`)).toBe(false);
  });
});

test('verification code must be exactly 6 characters', () => {
  expect(['12345', '123456', '1234567'].map(isAuthCode)).toEqual([false, true, false]);
});

describe('the next-redirect parameter is sanitized to a path', () => {
  test.each(['/dashboard', '/orders?page=2#top'])('%s is kept', (path) => {
    expect(sanitizeNextPath(path)).toBe(path);
  });

  test.each([
    null,
    undefined,
    '',
    'dashboard',
    '//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\\\\evil.example',
  ])('%j becomes /', (next) => expect(sanitizeNextPath(next)).toBe('/'));
});
