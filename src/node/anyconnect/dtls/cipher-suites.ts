import { prf, type PrfHash } from './prf.ts';

/** A cipher suite of DTLS 1.2 with a pre-shared key. */
export interface CipherSuite {
  readonly id: number;
  readonly cipher: 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305';
  readonly hash: PrfHash;
  readonly keyBytes: number;
  /** The part of the nonce that comes from the handshake; the rest is in each record, or counted. */
  readonly ivBytes: number;
  readonly explicitNonceBytes: number;
}

/** TLS_PSK_WITH_…, most wanted first: RFC 5487 §2 and RFC 7905 §2. */
export const cipherSuites: readonly CipherSuite[] = [
  { id: 0x00a9, cipher: 'aes-256-gcm', hash: 'sha384', keyBytes: 32, ivBytes: 4, explicitNonceBytes: 8 },
  { id: 0x00a8, cipher: 'aes-128-gcm', hash: 'sha256', keyBytes: 16, ivBytes: 4, explicitNonceBytes: 8 },
  {
    id: 0xccab,
    cipher: 'chacha20-poly1305',
    hash: 'sha256',
    keyBytes: 32,
    ivBytes: 12,
    explicitNonceBytes: 0,
  },
];

export const suiteOf = (id: number): CipherSuite | undefined => cipherSuites.find((suite) => suite.id === id);

/** The premaster secret of a pre-shared key (RFC 4279 §2). */
export function premasterSecret(key: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(key.length);
  return Buffer.concat([length, Buffer.alloc(key.length), length, key]);
}

/** What both ends know of a handshake when its keys are made. */
export interface HandshakeSecrets {
  suite: CipherSuite;
  premaster: Uint8Array;
  clientRandom: Uint8Array;
  serverRandom: Uint8Array;
  /**
   * The hash of all messages up to the key exchange, if both ends know the extended master secret (RFC 7627 §4).
   */
  sessionHash: Uint8Array | undefined;
}

export function masterSecret(secrets: HandshakeSecrets): Buffer {
  const { suite, premaster, clientRandom, serverRandom, sessionHash } = secrets;
  return sessionHash
    ? prf(suite.hash, premaster, 'extended master secret', sessionHash, 48)
    : prf(suite.hash, premaster, 'master secret', Buffer.concat([clientRandom, serverRandom]), 48);
}

export interface RecordKey {
  key: Buffer;
  iv: Buffer;
}

/** The keys of both directions (RFC 5246 §6.3). */
export function recordKeys(
  suite: CipherSuite,
  master: Uint8Array,
  randoms: { client: Uint8Array; server: Uint8Array },
): { client: RecordKey; server: RecordKey } {
  const { hash, keyBytes, ivBytes } = suite;
  const seed = Buffer.concat([randoms.server, randoms.client]);
  const block = prf(hash, master, 'key expansion', seed, 2 * (keyBytes + ivBytes));
  const ivs = block.subarray(2 * keyBytes);
  return {
    client: { key: block.subarray(0, keyBytes), iv: ivs.subarray(0, ivBytes) },
    server: { key: block.subarray(keyBytes, 2 * keyBytes), iv: ivs.subarray(ivBytes) },
  };
}
