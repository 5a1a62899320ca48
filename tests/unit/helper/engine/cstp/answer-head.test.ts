import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeadReader, maxHeadBytes } from '../../../../../helper/engine/own/cstp/answer-head.ts';

const answer =
  'HTTP/1.1 200 CONNECTED\r\nX-CSTP-DNS: 192.0.2.1\r\nx-cstp-dns:192.0.2.2 \r\nX-Odd: a: b\r\n\r\n';

test('a head is read with all values of a name, whatever its case', () => {
  const read = createHeadReader()(Buffer.from(`${answer}STF`));
  expect(read).toMatchObject({ kind: 'complete', head: { status: 200, reason: 'CONNECTED' } });
  if (read.kind !== 'complete') return;
  expect([...read.head.headers]).toEqual([
    ['x-cstp-dns', ['192.0.2.1', '192.0.2.2']],
    ['x-odd', ['a: b']],
  ]);
  expect(read.rest.toString()).toBe('STF');
});

test('a head is read wherever it is cut', () => {
  const stream = Buffer.from(`${answer}rest`);
  for (let at = 1; at < answer.length; at += 1) {
    const read = createHeadReader();
    expect(read(stream.subarray(0, at))).toEqual({ kind: 'incomplete' });
    const second = read(stream.subarray(at));
    expect(second).toMatchObject({ kind: 'complete', head: { status: 200 } });
    expect(second.kind === 'complete' && second.rest.toString()).toBe('rest');
  }
});

test('a head whose lines end with LF alone is read, wherever it is cut', () => {
  const odd = answer.replaceAll('\r\n', '\n');
  const stream = Buffer.from(`${odd}rest\r\n\r\n`);
  for (let at = 1; at < odd.length; at += 1) {
    const read = createHeadReader();
    expect(read(stream.subarray(0, at))).toEqual({ kind: 'incomplete' });
    const second = read(stream.subarray(at));
    expect(second).toMatchObject({ kind: 'complete', head: { status: 200, reason: 'CONNECTED' } });
    if (second.kind !== 'complete') return;
    expect(second.head.headers.get('x-cstp-dns')).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(second.rest.toString()).toBe('rest\r\n\r\n');
  }
});

test('a value with an empty line does not end a head whose lines end as they should', () => {
  const read = createHeadReader()(Buffer.from('HTTP/1.1 200 OK\r\nX-A: b\n\nc\r\nX-D: e\r\n\r\n'));
  expect(read.kind === 'complete' && read.head.headers.get('x-d')).toEqual(['e']);
});

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 'not HTTP'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'not HTTP'],
  ['too many headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(16_001)}\r\n`, 'too many headers'],
  ['a head that is too long', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(maxHeadBytes)}\r\n\r\n`, 'too long'],
])('%s is refused', (_what, text, why) => {
  expect(createHeadReader()(Buffer.from(text))).toEqual({ kind: 'refused', why });
});

test('a head that does not end is refused before it fills the memory', () => {
  const read = createHeadReader();
  const piece = Buffer.from(`A: ${'b'.repeat(1021)}\r\n`);
  for (let length = 0; length + piece.length <= maxHeadBytes; length += piece.length)
    expect(read(piece)).toEqual({ kind: 'incomplete' });
  expect(read(piece)).toEqual({ kind: 'refused', why: 'too long' });
});

test('a version of its own is no hindrance', () => {
  const read = createHeadReader()(Buffer.from('HTTP/1.2 200 OK\r\nX-A: b\r\n\r\n'));
  expect(read).toMatchObject({ kind: 'complete', head: { status: 200 } });
});

test('lines that are no headers are left out', () => {
  const odd = 'HTTP/1.1 200\r\nnothing\r\n: b\r\na b: c\r\n folded\r\nX: y\r\n\r\n';
  const read = createHeadReader()(Buffer.from(odd));
  expect(read.kind === 'complete' && [...read.head.headers]).toEqual([['x', ['y']]]);
});

test('any bytes are read without an exception', () => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ maxLength: 200 }).map((text) => Buffer.from(`HTTP/1.1 200 OK\r\n${text}\r\n\r\n`)),
  );
  fc.assert(
    fc.property(texts, (bytes) => {
      const read = createHeadReader();
      let last: unknown;
      for (const byte of bytes) if (last === undefined) last = settled(read(Buffer.from([byte])));
      expect(last).toEqual(settled(createHeadReader()(bytes)));
    }),
  );
});

/** What both ways of reading have in common: a single byte at a time leaves no rest. */
function settled(read: ReturnType<ReturnType<typeof createHeadReader>>) {
  if (read.kind === 'incomplete') return undefined;
  return read.kind === 'complete' ? { kind: read.kind, headers: [...read.head.headers] } : read;
}
