import tls from 'node:tls';

let trusted = false;

/**
 * For connections whose other end the trusted roots decide on. An intermediate authority that the system trusts is
 * enough by itself, as it is for GnuTLS and curl: companies install the one that issues their certificates. Not on
 * Windows: what Node reads there has the intermediate authorities, too, that any program of the user puts beside the
 * trusted ones without a question, and that Windows keeps of what it has seen (crypto_context.cc,
 * ReadWindowsCertificates). Windows itself trusts none of them without its root.
 */
export const trustOn = (platform: NodeJS.Platform) => ({ allowPartialTrustChain: platform !== 'win32' });

export const byTrustedRoots = trustOn(process.platform);

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
