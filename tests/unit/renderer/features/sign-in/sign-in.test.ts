import { describe, expect, test } from 'vitest';
import { isAuthCode, isEmail, sanitizeNextPath } from '#shared/validation.ts';
import { returnPath, returnState } from '../../../../../src/renderer/features/session/return-path.ts';
import {
  isCodeOver,
  readSentCode,
  resendSecondsLeft,
  wasSentTo,
  writeSentCode,
} from '../../../../../src/renderer/features/sign-in/sent-code.ts';
import { readVerifyQuery, verifyPath } from '../../../../../src/renderer/features/sign-in/verify-path.ts';

describe('the login page (specification §5)', () => {
  test.each(['a@example.com', 'first.last@mail.example.org', 'a-b@x-y.io', 'under_score@example.net'])(
    'takes the email %s',
    (text) => expect(isEmail(text)).toBe(true),
  );
  test.each([
    '',
    'a',
    'a@',
    '@example.com',
    'a@example',
    'a@example.info',
    'a b@example.com',
    'a..b@example.com',
  ])('does not take %j for an email', (text) => expect(isEmail(text)).toBe(false));
});

test('a code is six characters, not five and not seven', () => {
  expect(['12345', '123456', '1234567'].map(isAuthCode)).toEqual([false, true, false]);
});

describe('where to go after signing in', () => {
  test.each([
    ['/dashboard', '/dashboard'],
    ['/x?code=1', '/x?code=1'],
    [null, '/'],
    ['https://evil.example', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ])('next=%j becomes %s', (next, expected) => {
    expect(sanitizeNextPath(next)).toBe(expected);
  });

  test('the page that asked for a sign-in', () => {
    const state = returnState({ pathname: '/devices', search: '?page=2', hash: '' });
    for (const hasTunnel of [true, false]) expect(returnPath(state, { hasTunnel })).toBe('/devices?page=2');
  });

  test('the part of the page that was asked for, as after a payment: /#download', () => {
    const state = returnState({ pathname: '/', search: '', hash: '#download' });
    expect(returnPath(state, { hasTunnel: false })).toBe('/#download');
    const next = new URLSearchParams(
      verifyPath({ email: 'a@b.de', authId: 'x', next: '/#download' }).split('?')[1],
    );
    expect(readVerifyQuery(next)?.next).toBe('/#download');
  });

  test('never the sign-out page, and never what somebody else put into the history', () => {
    expect(returnPath(returnState({ pathname: '/logout', search: '', hash: '' }), { hasTunnel: false })).toBe(
      '/',
    );
    for (const odd of [undefined, 'x', { from: 7 }, { from: '//evil.example' }]) {
      expect(returnPath(odd, { hasTunnel: false })).toBe('/');
    }
  });

  test('where there is a tunnel, who has asked for nothing in particular comes to connect', () => {
    for (const pathname of ['/', '/dashboard', '/logout']) {
      const state = returnState({ pathname, search: '', hash: '' });
      expect(returnPath(state, { hasTunnel: true })).toBe('/vpn');
    }
  });
});

describe('/auth-verify', () => {
  const read = (path: string) => readVerifyQuery(new URL(path, 'http://x').searchParams);

  test('reads what the login page wrote', () => {
    const query = { email: 'a+b@example.com', authId: 'id&=?', next: '/x?y=1' };
    expect(read(verifyPath(query))).toEqual(query);
  });

  test('wants an email and an authId', () => {
    expect(read('/auth-verify?email=a@example.com')).toBeUndefined();
    expect(read('/auth-verify?authId=1')).toBeUndefined();
    expect(read('/auth-verify?authId=&email=')).toBeUndefined();
  });

  test('lets nobody redirect to elsewhere', () => {
    expect(read('/auth-verify?email=a&authId=1&next=https://evil.example')?.next).toBe('/');
  });
});

describe('the resend countdown', () => {
  const sentAt = 1_000_000_000;

  test.each([
    [0, 60],
    [1, 60],
    [1000, 59],
    [59_999, 1],
    [60_000, 0],
    [3_600_000, 0],
    [-5000, 60],
  ])('%d ms after sending leaves %d s', (elapsed, expected) => {
    expect(resendSecondsLeft(sentAt, sentAt + elapsed)).toBe(expected);
  });
});

describe('the code that was mailed last', () => {
  const at = 1_000_000_000;
  const sent = { email: 'A@example.com', authId: 'id', at, wrong: 0 };

  test('is the same after a reload, for the same address in any case', () => {
    const read = readSentCode(writeSentCode(sent), at + 20_000);
    expect(read).toEqual(sent);
    expect(read && wasSentTo(read, 'a@EXAMPLE.com')).toBe(true);
    expect(read && wasSentTo(read, 'b@example.com')).toBe(false);
  });

  test('of a time that is yet to come was sent now', () => {
    expect(readSentCode(writeSentCode(sent), at - 1)?.at).toBe(at - 1);
  });

  test.each([
    ['nothing stored', null],
    ['garbage', '{'],
    ['something of another shape', '{"email":1}'],
  ])('is unknown with %s', (_, stored) => {
    expect(readSentCode(stored, at)).toBeUndefined();
  });

  test('is over after five other ones, or ten minutes', () => {
    expect(isCodeOver({ ...sent, wrong: 4 }, at + 599_999)).toBe(false);
    expect(isCodeOver({ ...sent, wrong: 5 }, at)).toBe(true);
    expect(isCodeOver(sent, at + 600_000)).toBe(true);
  });
});
