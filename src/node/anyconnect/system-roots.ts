import tls from 'node:tls';

let trusted = false;

/**
 * For connections whose other end the trusted roots decide on. An intermediate authority that the system trusts is
 * enough by itself, as it is for GnuTLS, curl and the systems' own TLS: companies install the one that issues their
 * certificates.
 */
export const byTrustedRoots = { allowPartialTrustChain: true } as const;

/**
 * Trusts the operating system's roots, in addition to Node's own and those of NODE_EXTRA_CA_CERTS (which are among the
 * default ones). Reading them takes about 50 ms, on the same thread that serves pages, so it is done once, and not
 * before the first connection that needs it.
 */
export function trustSystemRoots(): void {
  if (trusted) return;
  trusted = true;
  const roots = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')]);
  tls.setDefaultCACertificates([...roots]);
}
