import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Malformed } from '#node/anyconnect/dtls/bytes.ts';
import { wholeMessage } from '#node/anyconnect/dtls/handshake-messages.ts';
import {
  createMessageAssembly,
  type HandshakeMessage,
  type MessageAssembly,
} from '#node/anyconnect/dtls/message-assembly.ts';

function fragment(message: HandshakeMessage, offset: number, length: number): Buffer {
  const whole = wholeMessage(message.type, message.sequence, message.body);
  whole.writeUIntBE(offset, 6, 3);
  whole.writeUIntBE(length, 9, 3);
  return Buffer.concat([whole.subarray(0, 12), message.body.subarray(offset, offset + length)]);
}

function takeAll(assembly: MessageAssembly): HandshakeMessage[] {
  const all: HandshakeMessage[] = [];
  for (let next = assembly.next(); next; next = assembly.next()) all.push(next);
  return all;
}

const bodies = fc.array(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  { minLength: 1, maxLength: 6 },
);

test('messages come whole and in order, from fragments that overlap, repeat and overtake each other', () => {
  const parts = bodies.chain((all) => {
    const messages = all.map((body, sequence) => ({ type: sequence + 1, sequence, body }));
    const some = fc.array(
      fc
        .constantFrom(...messages)
        .chain((message) =>
          fc
            .tuple(fc.nat(message.body.length), fc.nat(message.body.length))
            .map(([from, to]) => fragment(message, Math.min(from, to), Math.abs(to - from))),
        ),
      { maxLength: 30 },
    );
    const whole = fc.shuffledSubarray(messages, { minLength: messages.length });
    return fc.tuple(fc.constant(messages), some, whole);
  });
  fc.assert(
    fc.property(parts, ([messages, some, whole]) => {
      const assembly = createMessageAssembly();
      const got: HandshakeMessage[] = [];
      for (const content of [...some, ...whole.map((one) => fragment(one, 0, one.body.length))]) {
        assembly.add(content);
        got.push(...takeAll(assembly));
      }
      expect(got).toEqual(messages);
    }),
  );
});

describe('the assembly of messages refuses', () => {
  const message = { type: 2, sequence: 0, body: Buffer.alloc(40, 1) };
  test.each([
    ['an empty record', () => Buffer.alloc(0)],
    ['a fragment that is cut', () => fragment(message, 0, 40).subarray(0, -1)],
    [
      'a fragment beyond its message',
      () => {
        const content = fragment(message, 0, 10);
        content.writeUIntBE(35, 6, 3);
        return content;
      },
    ],
    ['a message that is too long', () => fragment({ ...message, body: Buffer.alloc(4_097) }, 0, 1)],
    ['a message far ahead', () => fragment({ ...message, sequence: 8 }, 0, 40)],
  ])('%s', (_what, content) => {
    expect(() => createMessageAssembly().add(content())).toThrow(Malformed);
  });

  test('a fragment that says something else about its message', () => {
    const assembly = createMessageAssembly();
    assembly.add(fragment(message, 0, 10));
    expect(() => assembly.add(fragment({ ...message, type: 3 }, 0, 10))).toThrow(Malformed);
    expect(() => assembly.add(fragment({ ...message, body: Buffer.alloc(41) }, 0, 10))).toThrow(Malformed);
    assembly.add(fragment(message, 10, 30));
    expect(takeAll(assembly)).toEqual([message]);
  });
});
