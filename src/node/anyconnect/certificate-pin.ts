import { createHash, type X509Certificate } from 'node:crypto';

/**
 * The pin of a certificate's public key: base64 of the SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4), in
 * openconnect's notation.
 */
export function certificatePin(certificate: X509Certificate): string {
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return `pin-sha256:${createHash('sha256').update(key).digest('base64')}`;
}
