import { createCipheriv, createDecipheriv, createSecretKey, type CipherGCMTypes } from 'node:crypto';
import type { CipherSuite, RecordKey } from './cipher-suites.ts';

/** Records of DTLS 1.2 (RFC 6347 §4.1), encrypted by RFC 5288 or RFC 7905. */

export const contentType = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const;

export const headerBytes = 13;
export const tagBytes = 16;
export const version = 0xfefd;

/** Sequence numbers have 48 bits; long before that, new keys are due. */
const maxSequence = 2 ** 47;

export interface RecordHeader {
  type: number;
  version: number;
  epoch: number;
  sequence: number;
  length: number;
}

/** Undefined if there is no whole record at `at`. */
export function readHeader(datagram: Buffer, at: number): RecordHeader | undefined {
  if (datagram.length - at < headerBytes) return undefined;
  const length = datagram.readUInt16BE(at + 11);
  if (at + headerBytes + length > datagram.length) return undefined;
  return {
    type: datagram.readUInt8(at),
    version: datagram.readUInt16BE(at + 1),
    epoch: datagram.readUInt16BE(at + 3),
    sequence: datagram.readUIntBE(at + 5, 6),
    length,
  };
}

function writeHeader(record: Buffer, header: Omit<RecordHeader, 'version'>): void {
  record[0] = header.type;
  record.writeUInt16BE(version, 1);
  record.writeUInt16BE(header.epoch, 3);
  record.writeUIntBE(header.sequence, 5, 6);
  record.writeUInt16BE(header.length, 11);
}

export function plainRecord(type: number, sequence: number, content: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(headerBytes + content.length);
  writeHeader(record, { type, epoch: 0, sequence, length: content.length });
  record.set(content, headerBytes);
  return record;
}

/** What an encrypted record adds to its content, in bytes. */
export const overheadOf = ({ explicitNonceBytes }: CipherSuite): number =>
  headerBytes + explicitNonceBytes + tagBytes;

/** Never twice the same for one key: it is made of the epoch and the sequence number. */
function nonceOf(suite: CipherSuite, iv: Buffer, epochAndSequence: Buffer): Buffer {
  if (suite.explicitNonceBytes > 0) return Buffer.concat([iv, epochAndSequence]);
  const nonce = Buffer.from(iv);
  for (let index = 0; index < 8; index += 1) {
    const at = nonce.length - 8 + index;
    nonce[at] = (nonce[at] ?? 0) ^ (epochAndSequence[index] ?? 0);
  }
  return nonce;
}

function additionalData(type: number, epochAndSequence: Buffer, contentLength: number): Buffer {
  const data = Buffer.allocUnsafe(13);
  epochAndSequence.copy(data, 0);
  data[8] = type;
  data.writeUInt16BE(version, 9);
  data.writeUInt16BE(contentLength, 11);
  return data;
}

/** Node's types name the AEAD ciphers by families, whose methods are the same. */
const authenticated = { authTagLength: tagBytes } as const;
const nameOf = ({ cipher }: CipherSuite) => cipher as CipherGCMTypes;

/** Encrypts the records of one direction and epoch. */
export interface RecordSealer {
  /** The content may be given in two parts. Undefined when the key has been used for too many records. */
  seal(type: number, content: Uint8Array, rest?: Uint8Array): Buffer | undefined;
  /** The number of the next record. */
  next(): number;
}

export function createRecordSealer(suite: CipherSuite, { key, iv }: RecordKey, epoch: number): RecordSealer {
  const secret = createSecretKey(key);
  let sequence = 0;
  return {
    next: () => sequence,
    seal(type, content, rest) {
      if (sequence >= maxSequence) return undefined;
      const { explicitNonceBytes } = suite;
      const contentLength = content.length + (rest?.length ?? 0);
      const record = Buffer.allocUnsafe(overheadOf(suite) + contentLength);
      writeHeader(record, { type, epoch, sequence, length: record.length - headerBytes });
      sequence += 1;
      const epochAndSequence = record.subarray(3, 11);
      if (explicitNonceBytes > 0) epochAndSequence.copy(record, headerBytes);
      const cipher = createCipheriv(
        nameOf(suite),
        secret,
        nonceOf(suite, iv, epochAndSequence),
        authenticated,
      );
      cipher.setAAD(additionalData(type, epochAndSequence, contentLength));
      let at = headerBytes + explicitNonceBytes;
      at += cipher.update(content).copy(record, at);
      if (rest) at += cipher.update(rest).copy(record, at);
      cipher.final();
      cipher.getAuthTag().copy(record, at);
      return record;
    },
  };
}

/** Decrypts the records of one direction; undefined for one that nobody with the key has made. */
export type RecordOpener = (header: RecordHeader, record: Buffer) => Buffer | undefined;

/** `record`: with its header. */
export function createRecordOpener(suite: CipherSuite, { key, iv }: RecordKey): RecordOpener {
  const secret = createSecretKey(key);
  return ({ type }, record) => {
    const begin = headerBytes + suite.explicitNonceBytes;
    const end = record.length - tagBytes;
    if (end < begin) return undefined;
    const epochAndSequence = record.subarray(3, 11);
    const sent = suite.explicitNonceBytes > 0 ? record.subarray(headerBytes, begin) : epochAndSequence;
    const decipher = createDecipheriv(nameOf(suite), secret, nonceOf(suite, iv, sent), authenticated);
    decipher.setAAD(additionalData(type, epochAndSequence, end - begin));
    decipher.setAuthTag(record.subarray(end));
    const content = decipher.update(record.subarray(begin, end));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return content;
  };
}
