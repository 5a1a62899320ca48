import {
  cipherSuites,
  suiteOf,
  type CipherSuite,
  type RecordKey,
} from '#node/anyconnect/dtls/cipher-suites.ts';
import {
  contentType,
  createRecordOpener,
  createRecordSealer,
  readHeader,
} from '#node/anyconnect/dtls/record.ts';
import type { Arena } from './arena.ts';
import type { Openssl } from './openssl-cipher.ts';
import { cipherSteps, createRecordCiphers, type CipherStep, type RecordCiphers } from './record-cipher.ts';

/** Contents of these lengths: none, less than a block, around one, and a usual packet. */
const lengths = [0, 1, 15, 16, 17, 100, 1_400];
const key: RecordKey = { key: Buffer.alloc(32, 0x5a), iv: Buffer.alloc(12, 0xc3) };

const keyOf = (suite: CipherSuite): RecordKey => ({
  key: key.key.subarray(0, suite.keyBytes),
  iv: key.iv.subarray(0, suite.ivBytes),
});

/** The best way of `from` and those after it that gives the same records as Node's own interface. */
export function chooseCipherStep(
  arena: Arena,
  openssl: Openssl | undefined,
  from: CipherStep,
): { step: CipherStep; ciphers: RecordCiphers } {
  const room = arena.take(2_048);
  for (const step of cipherSteps.slice(cipherSteps.indexOf(from))) {
    const ciphers = tried(() => createRecordCiphers(arena, step, openssl));
    const isRight =
      ciphers && cipherSuites.every((suite) => tried(() => answers(arena, ciphers, suite, room)));
    if (ciphers && isRight) return { step, ciphers };
  }
  throw new Error('no cipher gives the right answers');
}

function tried<Value>(what: () => Value): Value | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}

function answers({ bytes }: Arena, ciphers: RecordCiphers, suite: CipherSuite, room: number): boolean {
  const own = keyOf(suite);
  const known = createRecordSealer(suite, own, 1);
  const knownOpener = createRecordOpener(suite, own);
  const sealer = ciphers.sealer(suite, own, Buffer.from('0001000000000000', 'hex'));
  const opener = ciphers.opener(suite, own);
  try {
    return lengths.every((length) => {
      const content = Buffer.alloc(length, length & 0xff);
      const expected = known.seal(contentType.applicationData, content);
      const header = expected && readHeader(expected, 0);
      if (!expected || !header) return false;
      const begin = 13 + suite.explicitNonceBytes;
      bytes.set(expected.subarray(0, 13), room);
      bytes.set(content, room + begin);
      const sealed = () => Buffer.from(bytes.subarray(room, room + expected.length));
      if (!sealer.seal(room, length) || !sealed().equals(expected)) return false;
      if (knownOpener(header, sealed())?.equals(content) !== true) return false;
      // One that was changed is refused, and does not spoil what comes after it.
      bytes[room + expected.length - 1] = (bytes[room + expected.length - 1] ?? 0) ^ 1;
      if (opener.open(room, expected.length) !== -1) return false;
      bytes.set(expected, room);
      if (opener.open(room, expected.length) !== length) return false;
      return Buffer.from(bytes.subarray(room + begin, room + begin + length)).equals(content);
    });
  } finally {
    sealer.free();
    opener.free();
  }
}

/** For what comes by its number. */
export function knownSuite(id: number): CipherSuite {
  const suite = suiteOf(id);
  if (!suite) throw new Error(`no cipher suite ${id}`);
  return suite;
}
