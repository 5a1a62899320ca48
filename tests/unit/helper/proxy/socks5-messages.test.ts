import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeReply, parseGreeting, parseRequest } from '../../../../helper/proxy/socks5-messages.ts';

const bytes = (...parts: (number | string)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));
const requestTo = (host: string, port = [1, 187]) => bytes(5, 1, 0, 3, host.length, host, ...port);

describe('greeting', () => {
  test.each([
    [bytes(5, 1, 0), 'no-authentication'],
    [bytes(5, 2, 2, 0), 'no-authentication'],
    [bytes(5, 1, 2), 'other-methods'],
    [bytes(5, 0), 'other-methods'],
    [bytes(4, 1, 0), undefined],
  ])('%j', (sent, value) => {
    expect(parseGreeting(sent)).toEqual({ state: 'complete', length: value ? sent.length : 1, value });
  });

  test('what comes after it is not part of it', () => {
    expect(parseGreeting(bytes(5, 1, 0, 5, 1))).toMatchObject({ length: 3 });
  });
});

describe('request', () => {
  test.each([
    [requestTo('Example.com'), { kind: 'name', name: 'example.com' }],
    [requestTo('192.0.2.1'), { kind: 'address', address: '192.0.2.1' }],
    [requestTo('::1'), { kind: 'address', address: '::1' }],
    [bytes(5, 1, 0, 1, 192, 0, 2, 1, 1, 187), { kind: 'address', address: '192.0.2.1' }],
    [
      bytes(5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 187),
      { kind: 'address', address: '2001:db8:0:0:0:0:0:1' },
    ],
  ])('%j', (sent, host) => {
    const complete = { state: 'complete', length: sent.length, value: { destination: { host, port: 443 } } };
    expect(parseRequest(sent)).toEqual(complete);
    // Data that a client sends without waiting for the reply.
    expect(parseRequest(Buffer.concat([sent, bytes('GET /')]))).toEqual(complete);
  });

  test.each([
    ['BIND', bytes(5, 2, 0, 1, 192, 0, 2, 1, 0, 80), 7],
    ['UDP ASSOCIATE', bytes(5, 3, 0, 1, 0, 0, 0, 0, 0, 0), 7],
    ['an unknown type of address', bytes(5, 1, 0, 2, 0), 8],
    ['another version', bytes(4, 1, 0), 1],
    ['an empty name', requestTo(''), 4],
    ['an address that is written in another way', requestTo('127.1'), 4],
    ['an address with a zone', requestTo('fe80::1%lo'), 4],
    ['a name with other characters', requestTo('a b'), 4],
  ])('%s is refused', (_what, sent, reply) => {
    expect(parseRequest(sent)).toEqual({ state: 'complete', length: sent.length, value: { reply } });
  });
});

const messages = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((sent) => Buffer.from(sent)),
  fc
    .tuple(fc.constantFrom(1, 3, 4), fc.uint8Array({ maxLength: 300 }))
    .map(([type, rest]) => Buffer.concat([bytes(5, 1, 0, type), rest])),
);

test('byte by byte, a message is complete once and for all, and within what SOCKS allows', () => {
  fc.assert(
    fc.property(messages, (sent) => {
      for (const parse of [parseGreeting, parseRequest]) {
        let first: unknown;
        for (let length = 0; length <= sent.length; length += 1) {
          const parsed = parse(sent.subarray(0, length));
          if (parsed.state === 'incomplete') {
            expect(first).toBeUndefined();
            expect(length).toBeLessThan(262);
          } else {
            first ??= parsed.value;
            expect(parsed.value).toEqual(first);
          }
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test('a refusal has the bytes of RFC 1928', () => {
  expect([...encodeReply(5)]).toEqual([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]);
});
