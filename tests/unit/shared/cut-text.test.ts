import { expect, test } from 'vitest';
import { cutText } from '#shared/cut-text.ts';

test.each([
  ['a flag', 'ab🇹🇼', 5, 'ab'],
  ['a family', 'a👨‍👩‍👧‍👦b', 8, 'a'],
  ['a letter with its accents', 'Zu\u0308rich', 2, 'Z'],
  ['Hangul in parts', '\u1112\u1161\u11ab\u1112', 2, '\u1112\u1161'],
  ['a syllable behind another', 'x\u1112\u1161\u11ab', 3, 'x'],
  ['a character of two code units', 'a😀', 2, 'a'],
  ['what fits', 'a👍🏽', 5, 'a👍🏽'],
  ['one that is too long', `e${'\u0301'.repeat(200)}`, 10, `e${'\u0301'.repeat(9)}`],
  ['nothing', '', 3, ''],
])('%s is not cut in two', (_what, text, max, cut) => {
  expect(cutText(text, max)).toBe(cut);
});
