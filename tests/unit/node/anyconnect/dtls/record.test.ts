import { createDecipheriv } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cipherSuites } from '#node/anyconnect/dtls/cipher-suites.ts';
import {
  contentType,
  createRecordOpener,
  createRecordSealer,
  overheadOf,
  plainRecord,
  readHeader,
} from '#node/anyconnect/dtls/record.ts';

const contents = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

describe.each(cipherSuites.map((suite) => [suite.cipher, suite] as const))('%s', (_name, suite) => {
  const key = { key: Buffer.alloc(suite.keyBytes, 5), iv: Buffer.alloc(suite.ivBytes, 6) };
  const open = createRecordOpener(suite, key);
  const opened = (record: Buffer) => {
    const header = readHeader(record, 0);
    return header && open(header, record);
  };

  test('a record is opened as it was sealed, in one part or two', () => {
    const sealer = createRecordSealer(suite, key, 1);
    fc.assert(
      fc.property(contents, fc.option(contents, { nil: undefined }), (first, second) => {
        const record = sealer.seal(contentType.applicationData, first, second);
        if (!record) throw new Error('not sealed');
        const whole = Buffer.concat([first, second ?? Buffer.alloc(0)]);
        expect(record).toHaveLength(whole.length + overheadOf(suite));
        expect(opened(record)).toEqual(whole);
      }),
    );
  });

  test('a record with any other bit is refused', () => {
    const sealer = createRecordSealer(suite, key, 1);
    const record = sealer.seal(contentType.applicationData, Buffer.from('a packet'));
    if (!record) throw new Error('not sealed');
    for (let bit = 0; bit < record.length * 8; bit += 1) {
      // The version and the length say how a record is read, and nothing else.
      if ((bit >= 8 && bit < 24) || (bit >= 88 && bit < 104)) continue;
      const changed = Buffer.from(record);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(opened(changed)).toBeUndefined();
    }
    expect(opened(record)).toEqual(Buffer.from('a packet'));
  });

  test('records are numbered, and no two have the same nonce', () => {
    const sealer = createRecordSealer(suite, key, 1);
    const records = Array.from({ length: 300 }, () => sealer.seal(23, Buffer.from('same')));
    expect(records.map((record) => record && readHeader(record, 0)?.sequence)).toEqual(
      Array.from({ length: 300 }, (_, index) => index),
    );
    expect(new Set(records.map((record) => record?.subarray(-16).toString('hex'))).size).toBe(300);
  });
});

/** RFC 5288 §3 by hand: the nonce in the record, and what is authenticated besides. */
test('AES-GCM is used as the RFC has it', () => {
  const suite = cipherSuites[0];
  if (suite?.cipher !== 'aes-256-gcm') throw new Error('another suite');
  const key = { key: Buffer.alloc(32, 1), iv: Buffer.from('salt') };
  const record = createRecordSealer(suite, key, 1).seal(23, Buffer.from('content'));
  if (!record) throw new Error('not sealed');
  expect(record.subarray(0, 21).toString('hex')).toBe('17fefd0001000000000000001f0001000000000000');
  const nonce = Buffer.concat([Buffer.from('salt'), Buffer.from('0001000000000000', 'hex')]);
  const decipher = createDecipheriv('aes-256-gcm', key.key, nonce);
  decipher.setAAD(Buffer.from('000100000000000017fefd0007', 'hex'));
  decipher.setAuthTag(record.subarray(-16));
  expect(decipher.update(record.subarray(21, -16), undefined, 'utf8') + decipher.final('utf8')).toBe(
    'content',
  );
});

test('headers are read only where a whole record is', () => {
  const record = plainRecord(contentType.handshake, 2 ** 33 + 1, Buffer.from('abc'));
  expect(readHeader(record, 0)).toEqual({
    type: 22,
    version: 0xfefd,
    epoch: 0,
    sequence: 2 ** 33 + 1,
    length: 3,
  });
  for (let length = 0; length < record.length; length += 1)
    expect(readHeader(record.subarray(0, length), 0)).toBeUndefined();
});
