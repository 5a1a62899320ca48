import { createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import forge from 'node-forge';

type Asn1 = forge.asn1.Asn1;

const pbmac1 = '1.2.840.113549.1.5.14';
const pbkdf2 = '1.2.840.113549.1.5.12';
/** HMAC with each hash, by its name (RFC 8018 §B.1.1, §B.1.2). */
const hashes: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.7', 'sha1'],
  ['1.2.840.113549.2.8', 'sha224'],
  ['1.2.840.113549.2.9', 'sha256'],
  ['1.2.840.113549.2.10', 'sha384'],
  ['1.2.840.113549.2.11', 'sha512'],
]);

/** More of them would take longer than anybody waits. */
const maxIterations = 2_000_000;
const maxKeyBytes = 64;

/** How a PKCS#12 file proves its integrity, if it does (RFC 7292 §4). */
export const integrityIn = (pfx: Asn1): Asn1 | undefined => partsOf(pfx)[2];

/**
 * Whether this password proves that a PKCS#12 file is whole, where the file has the check of RFC 9579, as OpenSSL and
 * Java write it for FIPS; undefined if it has another one, or none.
 */
export function checkPbmac1(pfx: Asn1, password: string): 'right' | 'wrong' | undefined {
  const [digestInfo] = partsOf(integrityIn(pfx));
  const [algorithm, digest] = partsOf(digestInfo);
  const [name, parameters] = partsOf(algorithm);
  if (oidOf(name) !== pbmac1) return undefined;
  const [derivation, mac] = partsOf(parameters);
  const [derivationName, derivationParameters] = partsOf(derivation);
  const [salt, iterations, keyBytes, prf] = partsOf(derivationParameters);
  const count = numberOf(iterations);
  const length = numberOf(keyBytes);
  const prfHash = hashes.get(oidOf(partsOf(prf)[0]));
  const hash = hashes.get(oidOf(partsOf(mac)[0]));
  const [, content] = partsOf(partsOf(pfx)[1]);
  const isKnown = oidOf(derivationName) === pbkdf2 && count > 0 && count <= maxIterations;
  if (!isKnown || !(length > 0 && length <= maxKeyBytes) || !prfHash || !hash) return undefined;
  const key = pbkdf2Sync(password, bytesOf(salt), count, length, prfHash);
  const found = createHmac(hash, key)
    .update(bytesOf(partsOf(content)[0]))
    .digest();
  const expected = bytesOf(digest);
  return found.length === expected.length && timingSafeEqual(found, expected) ? 'right' : 'wrong';
}

const partsOf = (asn1: Asn1 | undefined): readonly Asn1[] =>
  asn1 && Array.isArray(asn1.value) ? asn1.value : [];

const oidOf = (asn1: Asn1 | undefined): string =>
  asn1?.type === forge.asn1.Type.OID && typeof asn1.value === 'string' ? forge.asn1.derToOid(asn1.value) : '';

/** Of an octet string, also of one that is written in pieces (X.690 §8.7.3). */
const bytesOf = (asn1: Asn1 | undefined): Buffer =>
  typeof asn1?.value === 'string'
    ? Buffer.from(asn1.value, 'latin1')
    : Buffer.concat(partsOf(asn1).map((part) => bytesOf(part)));

const numberOf = (asn1: Asn1 | undefined): number =>
  asn1?.type === forge.asn1.Type.INTEGER ? Number(`0x${bytesOf(asn1).toString('hex') || '0'}`) : 0;
