import type { KeyObject, X509Certificate } from 'node:crypto';

export type CertificateFileError = 'wrong-password' | 'not-a-certificate' | 'unsupported';

/** What is in a file of certificates and keys, in the file's order. */
export type CertificateFile =
  | { ok: true; certificates: readonly X509Certificate[]; keys: readonly KeyObject[] }
  | { ok: false; error: CertificateFileError };
