import { describe, expect, test } from 'vitest';
import { readAuthCode, readEmail, readLicenseKey } from '#shared/typed-text.ts';
import { isAuthCode, isEmail } from '#shared/validation.ts';

describe('a code is read as it is meant', () => {
  test.each([
    '123456',
    ' 123 456\n',
    '123-456',
    '123.456.',
    '123\u2013456',
    '123\u2212456',
    '12\u00ad34\u200b56',
    '\ufeff123456\u200e',
    '１２３４５６',
    '１２３－４５６',
    '123。456',
    '“123456”',
    '١٢٣٤٥٦',
    '۱۲۳-۴۵۶',
    '१२३४५६',
    '𝟏𝟐𝟑𝟒𝟓𝟔',
  ])('%j', (typed) => {
    expect(readAuthCode(typed)).toBe('123456');
  });

  test.each(['', '12345', '1234567', '123-45'])('%j is none', (typed) => {
    expect(isAuthCode(readAuthCode(typed))).toBe(false);
  });
});

describe('an address is read as it is meant', () => {
  test.each([
    'first-last@mail.example.com',
    ' first-last@mail.example.com\r\n',
    'first-last＠mail.example.com',
    'ｆｉｒｓｔ－ｌａｓｔ＠ｍａｉｌ．ｅｘａｍｐｌｅ．ｃｏｍ',
    'first-last@mail。example｡com',
    'first\u2010last@mail.example.com',
    'first-last@\u200bmail.\u00adexample.com\ufe0f',
    '\u202afirst-last@mail.example.com\u202c',
  ])('%j', (typed) => {
    expect(readEmail(typed)).toBe('first-last@mail.example.com');
  });

  test.each(['a b@example.com', 'a@example.com, b@example.com', 'a\0@example.com', 'ä@example.com'])(
    '%j is none',
    (typed) => {
      expect(isEmail(readEmail(typed))).toBe(false);
    },
  );
});

test('a license key is sent with hyphens, and without what mail programs add', () => {
  for (const typed of ['KEY-0001', ' KEY\u2013 0001\u00ad\u200b', 'ＫＥＹ－０００１', 'KEY\u20110001']) {
    expect(readLicenseKey(typed)).toBe('KEY-0001');
  }
});
