import { readFileSync, statSync } from 'node:fs';
import tls from 'node:tls';

/**
 * For connections whose other end the trusted roots decide on. An intermediate authority that the system trusts is
 * enough by itself, as it is for GnuTLS and curl: companies install the one that issues their certificates. Not on
 * Windows: what Node reads there has the intermediate authorities, too, that any program of the user puts beside the
 * trusted ones without a question, and that Windows keeps of what it has seen (crypto_context.cc,
 * ReadWindowsCertificates). Windows itself trusts none of them without its root.
 */
export const trustOn = (platform: NodeJS.Platform) => ({ allowPartialTrustChain: platform !== 'win32' });

export const byTrustedRoots = trustOn(process.platform);

/** The file with all roots on Linux: of Debian, Arch and Alpine, of Fedora, of SUSE, of others. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** The version of that file whose roots are trusted; undefined until there are any. */
let trusted: { version: string | undefined } | undefined;

/**
 * Trusts the operating system's roots, in addition to Node's own and those of NODE_EXTRA_CA_CERTS (which are among the
 * default ones). Reading them takes about 50 ms, on the same thread that serves pages, so it is done once, and not
 * before the first connection that needs it. Node itself reads them once in a process: one that is added later, such as
 * a company's, is taken up on Linux, and on other systems at the next start.
 */
export function trustSystemRoots(): void {
  const bundle = findBundle();
  const version = bundle?.version;
  if (!trusted) {
    trusted = { version };
    trustAlso(tls.getCACertificates('system'));
  } else if (bundle && version !== trusted.version) {
    trusted = { version };
    try {
      trustAlso(rootsIn(bundle.file));
    } catch {
      // Something else than certificates is in it, or it is gone again: those before stay trusted.
    }
  }
}

function trustAlso(roots: readonly string[]): void {
  tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...roots])]);
}

function findBundle(): { file: string; version: string } | undefined {
  if (process.platform !== 'linux') return undefined;
  // The variable of OpenSSL, which Node follows, too.
  const named = process.env['SSL_CERT_FILE'];
  for (const file of named === undefined ? bundles : [named]) {
    try {
      const { ino, size, mtimeMs } = statSync(file);
      return { file, version: [file, ino, size, mtimeMs].join(' ') };
    } catch {
      continue;
    }
  }
  return undefined;
}

const rootsIn = (file: string): string[] =>
  readFileSync(file, 'latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
