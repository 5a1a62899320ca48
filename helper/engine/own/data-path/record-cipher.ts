import { createCipheriv, createDecipheriv, createSecretKey, type CipherGCMTypes } from 'node:crypto';
import type { CipherSuite } from '#node/anyconnect/dtls/cipher-suites.ts';
import { headerBytes, tagBytes, version } from '#node/anyconnect/dtls/record.ts';
import type { Arena } from './arena.ts';
import type { OpensslCipher, Openssl } from './openssl-cipher.ts';

/** How records are encrypted, best first: by one native call each, by five, or by Node's own interface. */
export const cipherSteps = ['tls', 'evp', 'node'] as const;
export type CipherStep = (typeof cipherSteps)[number];

/** Those of `RecordKey`, also after they have come from another thread. */
export interface KeyBytes {
  key: Uint8Array;
  iv: Uint8Array;
}

/** Encrypts records in place: header, explicit nonce if any, content, and room for the tag. */
export interface RecordSealerInPlace {
  /** The header has to be there. False if that failed: the key is not to be used any more. */
  seal(record: number, contentLength: number): boolean;
  free(): void;
}

export interface RecordOpenerInPlace {
  /** The length of the content, or -1 for what nobody with the key has made. */
  open(record: number, recordLength: number): number;
  free(): void;
}

export interface RecordCiphers {
  /** `epochAndSequence`: those of the first record, after which each has the next number. */
  sealer(suite: CipherSuite, key: KeyBytes, epochAndSequence: Uint8Array): RecordSealerInPlace;
  opener(suite: CipherSuite, key: KeyBytes): RecordOpenerInPlace;
}

/** Content and the tag behind it, with the nonce and the additional data that have been written. */
interface InPlace {
  readonly encrypt: (at: number, length: number) => boolean;
  readonly decrypt: (at: number, length: number) => boolean;
  readonly free: () => void;
}

export function createRecordCiphers(
  arena: Arena,
  step: CipherStep,
  openssl: Openssl | undefined,
): RecordCiphers {
  const { bytes, view } = arena;
  const additional = arena.take(16);
  const nonce = arena.take(16);
  const keyRoom = arena.take(32);

  function writeAdditional(record: number, contentLength: number): void {
    bytes.copyWithin(additional, record + 3, record + 11);
    view.setUint8(additional + 8, view.getUint8(record));
    view.setUint16(additional + 9, version);
    view.setUint16(additional + 11, contentLength);
  }

  /** `sent`: where the part of the nonce is that is not of the key. */
  function writeNonce(suite: CipherSuite, iv: Uint8Array, sent: number): void {
    bytes.set(iv, nonce);
    if (suite.explicitNonceBytes > 0) {
      bytes.copyWithin(nonce + 4, sent, sent + 8);
      return;
    }
    for (let index = 0; index < 8; index += 1)
      view.setUint8(nonce + 4 + index, view.getUint8(nonce + 4 + index) ^ view.getUint8(sent + index));
  }

  function native(suite: CipherSuite, { key }: KeyBytes, encrypts: boolean): OpensslCipher {
    if (!openssl) throw new Error('there is no OpenSSL');
    bytes.set(key, keyRoom);
    try {
      return openssl.create(suite.cipher, keyRoom, key.length, encrypts);
    } finally {
      bytes.fill(0, keyRoom, keyRoom + key.length);
    }
  }

  function evpWay(suite: CipherSuite, key: KeyBytes, encrypts: boolean): InPlace {
    const cipher = native(suite, key, encrypts);
    return {
      encrypt: (at, length) => cipher.seal(nonce, additional, at, length, at + length),
      decrypt: (at, length) => cipher.open(nonce, additional, at, length, at + length),
      free: () => cipher.free(),
    };
  }

  function nodeWay(suite: CipherSuite, { key }: KeyBytes): InPlace {
    const secret = createSecretKey(key);
    const name = suite.cipher as CipherGCMTypes;
    const options = { authTagLength: tagBytes };
    const nonceNow = () => bytes.subarray(nonce, nonce + 12);
    const additionalNow = () => bytes.subarray(additional, additional + 13);
    return {
      encrypt(at, length) {
        const cipher = createCipheriv(name, secret, nonceNow(), options);
        cipher.setAAD(additionalNow());
        bytes.set(cipher.update(bytes.subarray(at, at + length)), at);
        cipher.final();
        bytes.set(cipher.getAuthTag(), at + length);
        return true;
      },
      decrypt(at, length) {
        const decipher = createDecipheriv(name, secret, nonceNow(), options);
        decipher.setAAD(additionalNow());
        decipher.setAuthTag(bytes.subarray(at + length, at + length + tagBytes));
        const content = decipher.update(bytes.subarray(at, at + length));
        try {
          decipher.final();
        } catch {
          return false;
        }
        bytes.set(content, at);
        return true;
      },
      free: () => undefined,
    };
  }

  const way = (suite: CipherSuite, key: KeyBytes, encrypts: boolean) =>
    step === 'node' ? nodeWay(suite, key) : evpWay(suite, key, encrypts);

  // OpenSSL's mode for records makes the explicit nonces of AES-GCM by counting (RFC 5288 §3).
  const usesTls = (suite: CipherSuite) => step === 'tls' && suite.explicitNonceBytes > 0;

  function tlsCipher(suite: CipherSuite, key: KeyBytes, encrypts: boolean, counter: Uint8Array) {
    const cipher = native(suite, key, encrypts);
    bytes.fill(0, nonce, nonce + 12);
    bytes.set(key.iv, nonce);
    bytes.set(counter, nonce + 4);
    if (!cipher.setTlsNonce(nonce)) throw new Error('no nonce');
    return cipher;
  }

  return {
    sealer(suite, recordKey, epochAndSequence) {
      const { explicitNonceBytes } = suite;
      if (usesTls(suite)) {
        const cipher = tlsCipher(suite, recordKey, true, epochAndSequence);
        return {
          seal(record, contentLength) {
            writeAdditional(record, contentLength + explicitNonceBytes);
            const length = explicitNonceBytes + contentLength + tagBytes;
            return cipher.tlsRecord(additional, record + headerBytes, length) === length;
          },
          free: () => cipher.free(),
        };
      }
      const { encrypt, free } = way(suite, recordKey, true);
      return {
        seal(record, contentLength) {
          writeAdditional(record, contentLength);
          writeNonce(suite, recordKey.iv, record + 3);
          bytes.copyWithin(record + headerBytes, record + 3, record + 3 + explicitNonceBytes);
          return encrypt(record + headerBytes + explicitNonceBytes, contentLength);
        },
        free,
      };
    },
    opener(suite, recordKey) {
      const begin = headerBytes + suite.explicitNonceBytes;
      const contentOf = (recordLength: number) => recordLength - begin - tagBytes;
      if (usesTls(suite)) {
        const cipher = tlsCipher(suite, recordKey, false, new Uint8Array());
        return {
          open(record, recordLength) {
            const length = contentOf(recordLength);
            if (length < 0) return -1;
            writeAdditional(record, recordLength - headerBytes);
            const opened = cipher.tlsRecord(additional, record + headerBytes, recordLength - headerBytes);
            // It tells the length of what it was given, or of the content.
            return opened >= length ? length : -1;
          },
          free: () => cipher.free(),
        };
      }
      const { decrypt, free } = way(suite, recordKey, false);
      return {
        open(record, recordLength) {
          const length = contentOf(recordLength);
          if (length < 0) return -1;
          writeAdditional(record, length);
          writeNonce(suite, recordKey.iv, suite.explicitNonceBytes > 0 ? record + headerBytes : record + 3);
          return decrypt(record + begin, length) ? length : -1;
        },
        free,
      };
    },
  };
}
