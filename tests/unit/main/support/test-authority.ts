import { generateKeyPair, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';

/** A certificate with its key, PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes certificates for tests, signed by an authority of its own. */
export interface TestAuthority extends TestCertificate {
  readonly name: string;
  /** An intermediate authority of this name. */
  below(name: string): Promise<TestAuthority>;
  /** Another authority, as this one has signed it across. */
  certify(other: TestAuthority): TestAuthority;
  issue(subject: {
    names?: readonly string[];
    ips?: readonly string[];
    expired?: boolean;
    /** Not valid before tomorrow. */
    early?: boolean;
    /** A client's certificate, for the user of this name (UID). */
    client?: string;
  }): Promise<TestCertificate>;
}

/** By which a client knows the certificate's key. */
export const pinOf = ({ certificate }: Pick<TestCertificate, 'certificate'>): string =>
  certificatePin(new X509Certificate(certificate));

const dayMs = 24 * 60 * 60 * 1000;
let serial = 1;

const authorityExtensions = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
];

/** `expired`: its own certificate has; what it issues has not. */
export async function createTestAuthority(
  name = 'Waymaker test authority',
  { expired = false } = {},
): Promise<TestAuthority> {
  return authorityOf(name, await newKeys(), undefined, expired);
}

function authorityOf(
  name: string,
  keys: { publicKey: string; privateKey: string },
  by?: { name: string; key: string },
  hasExpired = false,
): TestAuthority {
  const issuer = [{ name: 'commonName', value: name }];
  const signer = by ? [{ name: 'commonName', value: by.name }] : issuer;
  const signerKeys = by ? { privateKey: by.key } : keys;
  const authority = signed(keys, signerKeys, issuer, signer, authorityExtensions, hasExpired);
  return {
    ...authority,
    certify: (other) => {
      const own = { publicKey: publicKeyOf(other), privateKey: other.key };
      return authorityOf(other.name, own, { name, key: keys.privateKey });
    },
    name,
    below: async (below) => authorityOf(below, await newKeys(), { name, key: keys.privateKey }),
    async issue({ names = [], ips = [], expired = false, early = false, client }) {
      const altNames = [...names.map((value) => ({ type: 2, value })), ...ips.map((ip) => ({ type: 7, ip }))];
      const subject: forge.pki.CertificateField[] = [
        { name: 'commonName', value: client ?? names[0] ?? ips[0] ?? 'nobody' },
        ...(client === undefined ? [] : [{ type: '0.9.2342.19200300.100.1.1', value: client }]),
      ];
      const extensions = [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: client === undefined, clientAuth: client !== undefined },
        ...(altNames.length === 0 ? [] : [{ name: 'subjectAltName', altNames }]),
      ];
      return signed(await newKeys(), keys, subject, issuer, extensions, expired, early);
    },
  };
}

const publicKeyOf = ({ certificate }: TestCertificate) =>
  forge.pki.publicKeyToPem(forge.pki.certificateFromPem(certificate).publicKey);

async function newKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
}

function signed(
  keys: { publicKey: string; privateKey: string },
  issuerKeys: { privateKey: string },
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  extensions: object[],
  expired = false,
  early = false,
): TestCertificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `0${(serial += 1)}`;
  const now = Date.now();
  certificate.validity.notBefore = new Date(now + (early ? 1 : -10) * dayMs);
  certificate.validity.notAfter = new Date(now + (expired ? -1 : early ? 2 : 1) * dayMs);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(issuerKeys.privateKey), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key: keys.privateKey };
}
