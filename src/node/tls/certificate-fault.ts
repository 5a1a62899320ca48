/**
 * What is wrong with a certificate that TLS refuses: by this computer's clock it has expired or is not valid yet, so
 * that the clock may be wrong, or anything else.
 */
export type CertificateFault = 'dates' | 'other';

/** Node's names for what its verification finds (doc/api/tls.md, “X509 certificate error codes”), and for names. */
const faults =
  /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|INVALID_|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT_|ERR_TLS_CERT_|UNSPECIFIED$)/;

/** By the code of TLS's error; undefined if it is about something else. */
export function certificateFault(code: string): CertificateFault | undefined {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'dates';
  return faults.test(code) ? 'other' : undefined;
}
