import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate with its key, PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes certificates for tests, signed by an authority of its own. */
export interface TestAuthority extends TestCertificate {
  issue(subject: {
    names?: readonly string[];
    ips?: readonly string[];
    expired?: boolean;
  }): Promise<TestCertificate>;
}

const dayMs = 24 * 60 * 60 * 1000;
let serial = 1;

export async function createTestAuthority(name = 'Waymaker test authority'): Promise<TestAuthority> {
  const keys = await newKeys();
  const issuer = [{ name: 'commonName', value: name }];
  const authority = signed(keys, keys, issuer, issuer, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  return {
    ...authority,
    async issue({ names = [], ips = [], expired = false }) {
      const altNames = [...names.map((value) => ({ type: 2, value })), ...ips.map((ip) => ({ type: 7, ip }))];
      const subject = [{ name: 'commonName', value: names[0] ?? ips[0] ?? 'nobody' }];
      const extensions = [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames },
      ];
      return signed(await newKeys(), keys, subject, issuer, extensions, expired);
    },
  };
}

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
): TestCertificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `0${(serial += 1)}`;
  const now = Date.now();
  certificate.validity.notBefore = new Date(now - 10 * dayMs);
  certificate.validity.notAfter = new Date(now + (expired ? -dayMs : dayMs));
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions(extensions);
  certificate.sign(forge.pki.privateKeyFromPem(issuerKeys.privateKey), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key: keys.privateKey };
}
