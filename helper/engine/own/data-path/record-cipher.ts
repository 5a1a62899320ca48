import { createCipheriv, createDecipheriv, createSecretKey, type CipherGCMTypes } from 'node:crypto';
import type { CipherSuite } from '../dtls/cipher-suites.ts';
import { headerBytes, tagBytes, version } from '../dtls/record.ts';
import type { Arena } from './arena.ts';
import type { Openssl } from './openssl-cipher.ts';

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

  function native(suite: CipherSuite, { key }: KeyBytes, encrypts: boolean) {
    if (!openssl) throw new Error('there is no OpenSSL');
    bytes.set(key, keyRoom);
    try {
      return openssl.create(suite.cipher, keyRoom, key.length, encrypts);
    } finally {
      bytes.fill(0, keyRoom, keyRoom + key.length);
    }
  }

  // OpenSSL's mode for records makes the explicit nonces of AES-GCM by counting (RFC 5288 §3).
  const usesTls = (suite: CipherSuite) => step === 'tls' && suite.explicitNonceBytes > 0;

  return {
    sealer(suite, recordKey, epochAndSequence) {
      const { explicitNonceBytes } = suite;
      const begin = headerBytes + explicitNonceBytes;
      if (step === 'node') {
        const secret = createSecretKey(recordKey.key);
        return {
          seal(record, contentLength) {
            writeAdditional(record, contentLength);
            writeNonce(suite, recordKey.iv, record + 3);
            bytes.copyWithin(record + headerBytes, record + 3, record + 3 + explicitNonceBytes);
            const cipher = createCipheriv(
              suite.cipher as CipherGCMTypes,
              secret,
              bytes.subarray(nonce, nonce + 12),
              { authTagLength: tagBytes },
            );
            cipher.setAAD(bytes.subarray(additional, additional + 13));
            const at = record + begin;
            bytes.set(cipher.update(bytes.subarray(at, at + contentLength)), at);
            cipher.final();
            bytes.set(cipher.getAuthTag(), at + contentLength);
            return true;
          },
          free: () => undefined,
        };
      }
      const cipher = native(suite, recordKey, true);
      if (usesTls(suite)) {
        bytes.set(recordKey.iv, nonce);
        bytes.set(epochAndSequence, nonce + 4);
        if (!cipher.setTlsNonce(nonce)) throw new Error('no nonce');
        return {
          seal(record, contentLength) {
            writeAdditional(record, contentLength + explicitNonceBytes);
            const length = explicitNonceBytes + contentLength + tagBytes;
            return cipher.tlsRecord(additional, record + headerBytes, length) === length;
          },
          free: () => cipher.free(),
        };
      }
      return {
        seal(record, contentLength) {
          writeAdditional(record, contentLength);
          writeNonce(suite, recordKey.iv, record + 3);
          bytes.copyWithin(record + headerBytes, record + 3, record + 3 + explicitNonceBytes);
          const at = record + begin;
          return cipher.seal(nonce, additional, at, contentLength, at + contentLength);
        },
        free: () => cipher.free(),
      };
    },
    opener(suite, recordKey) {
      const begin = headerBytes + suite.explicitNonceBytes;
      const contentOf = (recordLength: number) => recordLength - begin - tagBytes;
      const sentAt = (record: number) => (suite.explicitNonceBytes > 0 ? record + headerBytes : record + 3);
      if (step === 'node') {
        const secret = createSecretKey(recordKey.key);
        return {
          open(record, recordLength) {
            const length = contentOf(recordLength);
            if (length < 0) return -1;
            writeAdditional(record, length);
            writeNonce(suite, recordKey.iv, sentAt(record));
            const decipher = createDecipheriv(
              suite.cipher as CipherGCMTypes,
              secret,
              bytes.subarray(nonce, nonce + 12),
              { authTagLength: tagBytes },
            );
            decipher.setAAD(bytes.subarray(additional, additional + 13));
            const at = record + begin;
            decipher.setAuthTag(bytes.subarray(at + length, at + length + tagBytes));
            const content = decipher.update(bytes.subarray(at, at + length));
            try {
              decipher.final();
            } catch {
              return -1;
            }
            bytes.set(content, at);
            return length;
          },
          free: () => undefined,
        };
      }
      const cipher = native(suite, recordKey, false);
      if (usesTls(suite)) {
        bytes.fill(0, nonce, nonce + 12);
        bytes.set(recordKey.iv, nonce);
        if (!cipher.setTlsNonce(nonce)) throw new Error('no nonce');
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
      return {
        open(record, recordLength) {
          const length = contentOf(recordLength);
          if (length < 0) return -1;
          writeAdditional(record, length);
          writeNonce(suite, recordKey.iv, sentAt(record));
          const at = record + begin;
          return cipher.open(nonce, additional, at, length, at + length) ? length : -1;
        },
        free: () => cipher.free(),
      };
    },
  };
}
