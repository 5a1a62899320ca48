import type { KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { clientCertificate, type ClientCertificate } from '#shared/helper/gateway-session.ts';
import type { CertificateFileError } from './certificate-file.ts';
import { readPem } from './pem.ts';
import { readPkcs12 } from './pkcs12.ts';

export type ClientIdentity = ClientCertificate;

export type ClientIdentityResult =
  | { ok: true; identity: ClientIdentity }
  | { ok: false; error: CertificateFileError | 'key-refused' };

/** The maximum number of certificates in addition to the user's own. */
const maxIssuers = 8;

/**
 * Reads a file with the user's certificate and its key: PKCS#12 (RFC 7292), the usual format for distributing them
 * (`.p12` or `.pfx`), or both in PEM (RFC 7468).
 */
export function readCertificateFile(file: Uint8Array, password: string): ClientIdentityResult {
  const text = Buffer.from(file).toString('latin1');
  const read = text.includes('-----BEGIN ') ? readPem(text, password) : readPkcs12(file, password);
  if (!read.ok) return read;
  const pairs = pairsIn(read.certificates, read.keys);
  if (pairs.length === 0) return { ok: false, error: 'not-a-certificate' };
  const best = pairs.filter(isForTls).sort(byUse)[0];
  if (!best) return { ok: false, error: 'key-refused' };
  const others = read.certificates.filter(
    (certificate) => !pairs.some((pair) => pair.certificate === certificate),
  );
  const issuers = inOrder(best.certificate, others).slice(0, maxIssuers);
  const certificate = [best.certificate, ...issuers].map((each) => each.toString()).join('');
  // The helper takes no larger ones.
  const identity = clientCertificate.safeParse({ certificate, key: pemOf(best.key) });
  return identity.success ? { ok: true, identity: identity.data } : { ok: false, error: 'unsupported' };
}

interface Pair {
  certificate: X509Certificate;
  key: KeyObject;
}

const pairsIn = (certificates: readonly X509Certificate[], keys: readonly KeyObject[]): Pair[] =>
  certificates.flatMap((certificate) =>
    keys.filter((key) => certificate.checkPrivateKey(key)).map((key) => ({ certificate, key })),
  );

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/**
 * Each after the one that it has issued, as gateways with TLS 1.2 may want it (RFC 5246 §7.4.2): some programs write the
 * root first. Those that belong to no other come last.
 */
function inOrder(own: X509Certificate, others: readonly X509Certificate[]): readonly X509Certificate[] {
  const issuer = others.find((one) => own.checkIssued(one));
  if (!issuer) return others;
  return [
    issuer,
    ...inOrder(
      issuer,
      others.filter((one) => one !== issuer),
    ),
  ];
}

const tlsKeyTypes = new Set(['rsa', 'rsa-pss', 'ec', 'ed25519', 'ed448']);
/** Those of TLS 1.3 (RFC 8446 §4.2.3). With any other, the certificate is not even presented. */
const tlsCurves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether TLS takes the key: OpenSSL refuses RSA below 2,048 bits, and TLS 1.3 knows no DSA. */
function isForTls({ certificate, key }: Pair): boolean {
  const type = key.asymmetricKeyType ?? '';
  if (!tlsKeyTypes.has(type)) return false;
  if (type === 'ec' && !tlsCurves.has(key.asymmetricKeyDetails?.namedCurve ?? '')) return false;
  try {
    createSecureContext({ cert: certificate.toString(), key: pemOf(key) });
    return true;
  } catch {
    return false;
  }
}

/** The extended key usages of TLS clients, and any (RFC 5280 §4.2.1.12). */
const clientUsages = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0'];

/**
 * The one that a gateway takes comes first. Some files have one certificate to sign in with and one for mail, or still
 * have the old one beside the new one, sometimes with the same key.
 */
function byUse(one: Pair, other: Pair): number {
  const weigh = ({ certificate }: Pair) => [
    Number(certificate.keyUsage?.some((usage) => clientUsages.includes(usage)) ?? true),
    Number(certificate.validFromDate.getTime() <= Date.now()),
    certificate.validToDate.getTime(),
  ];
  const weights = weigh(other);
  return weigh(one).reduce((difference, weight, at) => difference || (weights[at] ?? 0) - weight, 0);
}
