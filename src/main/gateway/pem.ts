import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { CertificateFile } from './certificate-file.ts';
import { readPkcs12 } from './pkcs12.ts';

/**
 * Reads certificates and keys in PEM (RFC 7468), with anything between them: editors on Windows put a mark before the
 * first line, and `openssl pkcs12` writes attributes. A PKCS#12 file can be written so, too, as certtool does.
 */
export function readPem(text: string, password: string): CertificateFile {
  const [container] = blocks(text, 'PKCS12');
  if (container !== undefined) return readPkcs12(bytesOf(container), password);
  const certificates = blocks(text, '(?:X509 |TRUSTED )?CERTIFICATE').flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
  const keys = [];
  for (const block of blocks(text, '(?:[A-Z]+ )?PRIVATE KEY')) {
    try {
      keys.push(createPrivateKey({ key: block, format: 'pem', passphrase: password }));
    } catch {
      if (/ENCRYPTED/.test(block)) return { ok: false, error: 'wrong-password' };
    }
  }
  return { ok: true, certificates, keys };
}

/** The parts with this label, which is part of a pattern, each with its first and last line. */
const blocks = (text: string, label: string): string[] =>
  text.match(new RegExp(`-----BEGIN ${label}-----[^]*?-----END ${label}-----`, 'g')) ?? [];

const bytesOf = (block: string) => Buffer.from(block.replaceAll(/-----[^-]+-----/g, ''), 'base64');
