import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import forge from 'node-forge';
import { clientCertificate, type ClientCertificate } from '#shared/helper/gateway-session.ts';

export type ClientIdentity = ClientCertificate;

export type ClientIdentityResult =
  | { ok: true; identity: ClientIdentity }
  | { ok: false; error: 'wrong-password' | 'not-a-certificate' | 'unsupported' | 'key-refused' };

/** The maximum number of certificates in addition to the user's own. */
const maxIssuers = 8;

/** Reads a PKCS#12 file (RFC 7292), the usual format for distributing certificates: `.p12` or `.pfx`. */
export function readPkcs12(file: Uint8Array, password: string): ClientIdentityResult {
  let asn1: forge.asn1.Asn1;
  try {
    asn1 = forge.asn1.fromDer(forge.util.createBuffer(Buffer.from(file).toString('latin1')));
  } catch {
    return { ok: false, error: 'not-a-certificate' };
  }
  let bags: forge.pkcs12.Bag[];
  try {
    bags = bagsIn(asn1, password);
  } catch (error) {
    if (isWrongPassword(error)) return { ok: false, error: 'wrong-password' };
    const message = error instanceof Error ? error.message : '';
    if (/not supported|unsupported|cannot read|unknown/i.test(message))
      return { ok: false, error: 'unsupported' };
    return { ok: false, error: 'not-a-certificate' };
  }
  const certificates = bags.flatMap(certificateIn);
  const keys = bags.flatMap(keyIn);
  for (const key of keys) {
    const own = certificates.find((certificate) => certificate.checkPrivateKey(key));
    if (!own) continue;
    if (!isForTls(own, key)) return { ok: false, error: 'key-refused' };
    const issuers = certificates.filter((certificate) => certificate !== own).slice(0, maxIssuers);
    const certificate = [own, ...issuers].map((each) => each.toString()).join('');
    // The helper takes no larger ones.
    const identity = clientCertificate.safeParse({
      certificate,
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    return identity.success ? { ok: true, identity: identity.data } : { ok: false, error: 'unsupported' };
  }
  return { ok: false, error: 'not-a-certificate' };
}

const tlsKeyTypes = new Set(['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448']);

/** Whether TLS takes the key: OpenSSL refuses RSA below 2,048 bits, and TLS 1.3 knows no DSA. */
function isForTls(certificate: X509Certificate, key: KeyObject): boolean {
  if (!tlsKeyTypes.has(key.asymmetricKeyType ?? '')) return false;
  try {
    createSecureContext({
      cert: certificate.toString(),
      key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    return true;
  } catch {
    return false;
  }
}

function bagsIn(asn1: forge.asn1.Asn1, password: string): forge.pkcs12.Bag[] {
  const open = (secret: string) =>
    forge.pkcs12.pkcs12FromAsn1(asn1, false, secret).safeContents.flatMap(({ safeBags }) => safeBags);
  try {
    return open(password);
  } catch (error) {
    // The file's integrity check uses the password as UTF-16 (RFC 7292 §B.1), but newer ciphers use UTF-8 (RFC 8018),
    // for which node-forge needs the bytes. The check has succeeded by then, and must be removed, because it would fail
    // with the other encoding.
    const bytes = forge.util.encodeUtf8(password);
    if (bytes === password || isWrongPassword(error) || !Array.isArray(asn1.value)) throw error;
    asn1.value = asn1.value.slice(0, 2);
    return open(bytes);
  }
}

const isWrongPassword = (error: unknown) =>
  error instanceof Error && /MAC could not be verified|Invalid password/i.test(error.message);

/** node-forge reads only RSA; the bytes of other certificates are passed to Node. */
function certificateIn(bag: forge.pkcs12.Bag): X509Certificate[] {
  if (bag.type !== forge.pki.oids['certBag']) return [];
  const asn1 = bag.cert ? forge.pki.certificateToAsn1(bag.cert) : bag.asn1;
  return attempt(() => new X509Certificate(derOf(asn1)));
}

function keyIn(bag: forge.pkcs12.Bag): KeyObject[] {
  const { oids } = forge.pki;
  if (bag.type !== oids['pkcs8ShroudedKeyBag'] && bag.type !== oids['keyBag']) return [];
  const asn1 = bag.key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key)) : bag.asn1;
  return attempt(() => createPrivateKey({ key: derOf(asn1), format: 'der', type: 'pkcs8' }));
}

const derOf = (asn1: forge.asn1.Asn1) => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1');

function attempt<Value>(read: () => Value): Value[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
