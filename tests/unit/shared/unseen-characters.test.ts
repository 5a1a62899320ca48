import { expect, test } from 'vitest';
import { shownLine, shownLines } from '#shared/unseen-characters.ts';

test.each([
  ['the flag of England', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} London'],
  ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} Home'],
  ['Persian letters that are kept apart', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['the sign before an Arabic year', '\u0601\u0661\u0664\u0664\u0667'],
  ['Hebrew beside digits', '\u05ea\u05dc \u05d0\u05d1\u05d9\u05d1 3'],
  ['a heart in colour', '❤️'],
])('%s stays', (_what, text) => {
  expect(shownLine(text)).toBe(text);
});

test.each([
  ['marks that turn text around', 'To\u202ekyo\u2066'],
  ['characters without width', '\ufeffTo\u200bk\u00adyo\u2060'],
  ['a filler of Hangul', 'Tokyo\u3164'],
  ['control characters', 'To\u0000kyo\u001b'],
  ['half a character', 'Tokyo\ud83d'],
])('%s go', (_what, text) => {
  expect(shownLine(text)).toBe('Tokyo');
});

test.each(['one\r\ntwo', 'one\ntwo', 'one\rtwo', 'one\u2028two', 'one\u0085 two '])(
  '%j is two lines',
  (text) => {
    expect(shownLines(text)).toEqual(['one', 'two']);
    expect(shownLine(text)).toBe('one two');
  },
);

test('tabs part words, and spaces in a line stay as they are', () => {
  expect(shownLines('a\tb\n  c   d')).toEqual(['a b', 'c   d']);
});
