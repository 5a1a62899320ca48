import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted } from '../../../../helper/windows/programs/command-line.ts';

/** What CommandLineToArgvW makes of a line with one word (Microsoft, “Parsing C command-line arguments”). */
function read(line: string): string {
  let word = '';
  for (let at = 0; at < line.length;) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    at += slashes;
    if (line[at] !== '"') {
      word += '\\'.repeat(slashes) + (line[at] ?? '');
      at += 1;
      continue;
    }
    word += '\\'.repeat(Math.floor(slashes / 2));
    if (slashes % 2 === 1) word += '"';
    at += 1;
  }
  return word;
}

test.each([
  ['--port=28', '--port=28'],
  [
    String.raw`C:\Program Files\Waymaker\core\node.exe`,
    String.raw`"C:\Program Files\Waymaker\core\node.exe"`,
  ],
  ['C:\\a folder\\', String.raw`"C:\a folder\\"`],
  ['a "quoted" word', String.raw`"a \"quoted\" word"`],
  ['', '""'],
])('%s becomes %s', (word, wanted) => {
  expect(quoted(word)).toBe(wanted);
});

test('every word is read as it was', () => {
  const piece = fc.constantFrom('\\', '"', ' ', 'a', 'ü', '\t');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(read(quoted(pieces.join('')))).toBe(pieces.join(''));
    }),
  );
});
