import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import forge from 'node-forge';
import type { CertificateFile } from './certificate-file.ts';
import { checkPbmac1, integrityIn } from './pbmac1.ts';

type Asn1 = forge.asn1.Asn1;

/** Reads a PKCS#12 file (RFC 7292), also one in base64 without any lines around it, as some pages hand it out. */
export function readPkcs12(file: Uint8Array, password: string): CertificateFile {
  let asn1: Asn1;
  try {
    asn1 = forge.asn1.fromDer(withoutRest(binary(Buffer.from(file))).toString('latin1'));
  } catch {
    return { ok: false, error: 'not-a-certificate' };
  }
  if (!isPfx(asn1)) return { ok: false, error: 'not-a-certificate' };
  try {
    const bags = bagsIn(asn1, password);
    return { ok: true, certificates: bags.flatMap(certificateIn), keys: bags.flatMap(keysIn) };
  } catch (error) {
    if (isWrongPassword(error)) return { ok: false, error: 'wrong-password' };
    const message = error instanceof Error ? error.message : '';
    if (/not supported|unsupported|cannot read|unknown/i.test(message))
      return { ok: false, error: 'unsupported' };
    // Without a check of its integrity, only what cannot be decrypted tells that the password is another one.
    return { ok: false, error: integrityIn(asn1) ? 'not-a-certificate' : 'wrong-password' };
  }
}

function binary(file: Buffer): Buffer {
  const text = file.toString('latin1');
  // One class for all of it: with the signs of its end apart, blanks before anything else would be tried again and again.
  return /^[A-Za-z0-9+/=\s]+$/.test(text) ? Buffer.from(text, 'base64') : file;
}

/** Without what some programs put behind it. Its length is in its first bytes, unless it is unknown (X.690 §8.1.3). */
function withoutRest(file: Buffer): Buffer {
  const [, length = 0] = file;
  const lengthBytes = length & 0x7f;
  const begin = 2 + lengthBytes;
  if (length <= 0x80 || lengthBytes > 4 || file.length < begin) return file;
  return file.subarray(0, begin + file.readUIntBE(2, lengthBytes));
}

/** Whether it begins as PKCS#12 does, unlike a certificate alone: with version 3. */
function isPfx({ value }: Asn1): boolean {
  const [version] = Array.isArray(value) ? value : [];
  return version?.type === forge.asn1.Type.INTEGER && version.value === '\x03';
}

class WrongPassword extends Error {
  override name = 'WrongPassword';
}

function bagsIn(asn1: Asn1, password: string): forge.pkcs12.Bag[] {
  const open = (secret: string) =>
    forge.pkcs12.pkcs12FromAsn1(asn1, false, secret).safeContents.flatMap(({ safeBags }) => safeBags);
  const check = checkPbmac1(asn1, password);
  if (check === 'wrong') throw new WrongPassword('its integrity is not proved');
  // Node-forge knows no such check.
  if (check === 'right') leaveUnchecked(asn1);
  try {
    return open(password);
  } catch (error) {
    // The file's integrity check uses the password as UTF-16 (RFC 7292 §B.1), but newer ciphers use UTF-8 (RFC 8018),
    // for which node-forge needs the bytes. The check has succeeded by then, and must be removed, because it would fail
    // with the other encoding.
    const bytes = forge.util.encodeUtf8(password);
    if (bytes === password || isWrongPassword(error)) throw error;
    leaveUnchecked(asn1);
    return open(bytes);
  }
}

function leaveUnchecked(asn1: Asn1): void {
  if (Array.isArray(asn1.value)) asn1.value = asn1.value.slice(0, 2);
}

const isWrongPassword = (error: unknown) =>
  error instanceof WrongPassword ||
  (error instanceof Error && /MAC could not be verified|Invalid password/i.test(error.message));

/** node-forge reads only RSA; the bytes of other certificates are passed to Node. */
function certificateIn(bag: forge.pkcs12.Bag): X509Certificate[] {
  if (bag.type !== forge.pki.oids['certBag']) return [];
  const asn1 = bag.cert ? asSigned(bag.cert) : bag.asn1;
  return attempt(() => new X509Certificate(derOf(asn1)));
}

/**
 * As its issuer has signed it: node-forge writes the parameters of the signature anew, in words of its own
 * (digitalbazaar/forge 650), but they have to be those that the signed part has (RFC 5280 §4.1.1.2).
 */
function asSigned(certificate: forge.pki.Certificate): Asn1 {
  const asn1 = forge.pki.certificateToAsn1(certificate);
  const [signed, , signature] = Array.isArray(asn1.value) ? asn1.value : [];
  const parts = signed && Array.isArray(signed.value) ? signed.value : [];
  // Before it, there are a version and a number.
  const algorithm = parts.find(({ type, tagClass }) => isSequence(type, tagClass));
  return signed && algorithm && signature ? { ...asn1, value: [signed, algorithm, signature] } : asn1;
}

const isSequence = (type: forge.asn1.Type, tagClass: forge.asn1.Class) =>
  type === forge.asn1.Type.SEQUENCE && tagClass === forge.asn1.Class.UNIVERSAL;

function keysIn(bag: forge.pkcs12.Bag): KeyObject[] {
  const { oids } = forge.pki;
  if (bag.type !== oids['pkcs8ShroudedKeyBag'] && bag.type !== oids['keyBag']) return [];
  const asn1 = bag.key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key)) : bag.asn1;
  const read = (one: Asn1) =>
    attempt(() => createPrivateKey({ key: derOf(one), format: 'der', type: 'pkcs8' }));
  // Of an RSA key, node-forge does not tell whether it is for RSASSA-PSS only (RFC 4055 §1.2).
  return bag.key ? [...read(asn1), ...read(forPss(asn1))] : read(asn1);
}

function forPss(key: Asn1): Asn1 {
  const { Class, Type, create, oidToDer } = forge.asn1;
  const name = oidToDer(forge.pki.oids['RSASSA-PSS'] ?? '').getBytes();
  const algorithm = create(Class.UNIVERSAL, Type.SEQUENCE, true, [
    create(Class.UNIVERSAL, Type.OID, false, name),
  ]);
  const [version, , octets] = Array.isArray(key.value) ? key.value : [];
  return version && octets ? { ...key, value: [version, algorithm, octets] } : key;
}

const derOf = (asn1: Asn1) => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1');

function attempt<Value>(read: () => Value): Value[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
