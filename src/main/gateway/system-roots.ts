import tls from 'node:tls';

let trusted = false;

/**
 * Trusts what the operating system trusts, beside Node's own roots and those of NODE_EXTRA_CA_CERTS (which
 * are among the default ones). Reading them takes some 50 ms, so that this is done once, and not before the
 * first connection that needs it: pages are served by the same thread.
 */
export function trustSystemRoots(): void {
  if (trusted) return;
  trusted = true;
  const roots = new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')]);
  tls.setDefaultCACertificates([...roots]);
}
