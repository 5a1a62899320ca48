import tls from 'node:tls';

let trusted = false;

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
