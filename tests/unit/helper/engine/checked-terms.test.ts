import { expect, test } from 'vitest';
import { checkGoodbye, checkTerms } from '../../../../helper/engine/checked-terms.ts';

const given = { sessionSeconds: 60, idleSeconds: 30, splitDns: [], attributes: [] };

test('a gateway’s text keeps its paragraphs, Persian and emojis, and loses what turns or hides text', () => {
  const message =
    'Be kind.\r\n\r\n\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u{1f468}\u200d\u{1f469}\u202e\u200b\u0007';
  expect(checkTerms({ ...given, message }).message).toBe(
    'Be kind.\n\n\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u{1f468}\u200d\u{1f469}',
  );
});

test('a text that is too long ends with a whole character, and one of nothing is none', () => {
  const { message = '' } = checkTerms({ ...given, message: `a${'\u{1f600}'.repeat(3_000)}` });
  expect(message.length).toBe(3_999);
  expect(message.isWellFormed()).toBe(true);
  expect(checkTerms({ ...given, message: ' \r\n\u200b\u0000' }).message).toBeUndefined();
});

test('an attribute’s value stays on one line', () => {
  const attributes = [{ name: 'a', value: 'one\n\u001b[2Jtwo\u2028three' }];
  expect(checkTerms({ ...given, attributes }).attributes).toEqual([{ name: 'a', value: 'one [2Jtwo three' }]);
});

test('a goodbye is one line of seen characters, of which the end is left out if it is too long', () => {
  expect(checkGoodbye('Ended\u202e by\r\n\u001b]0;\u0007 an administrator\u2029')).toBe(
    'Ended by ]0; an administrator',
  );
  expect(checkGoodbye(' \r\n\u200b\u0000')).toBeUndefined();
  const long = checkGoodbye(`a${'\u{1f600}'.repeat(3_000)}`) ?? '';
  expect([long.length, long.isWellFormed()]).toEqual([199, true]);
});
