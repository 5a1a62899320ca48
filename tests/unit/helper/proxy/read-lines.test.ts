import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from '../../../../helper/proxy/read-lines.ts';

test('lines come whole, however the stream cuts them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n'))),
      fc.integer({ min: 1, max: 20 }),
      async (lines, size) => {
        const bytes = Buffer.from([...lines, 'without an end'].join('\n'));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const read: string[] = [];
        for await (const line of readLines(Readable.from(pieces, { objectMode: false }))) read.push(line);
        expect(read).toEqual(lines);
      },
    ),
  );
});

test('line separators of Unicode end no line', async () => {
  const text = 'a\u2028b\u2029c\rd';
  const read: string[] = [];
  for await (const line of readLines(Readable.from([`${text}\n`]))) read.push(line);
  expect(read).toEqual([text]);
});
