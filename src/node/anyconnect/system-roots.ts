import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { coreFolder, coreRuntime } from '#node/manifest/core-product.ts';

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
 * The file with all roots on Linux: of Debian, Arch and Alpine, of Fedora before its version 43 and since, of SUSE, of
 * NixOS, of others.
 */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
];

/** The version of that file whose roots are trusted, and those; undefined until there are any. */
let trusted: { version: string | undefined; roots: readonly string[] } | undefined;

/**
 * Trusts the operating system's roots, in addition to Node's own and those of NODE_EXTRA_CA_CERTS (which are among the
 * default ones). Reading them takes about 50 ms, on the same thread that serves pages, so it is done once, and not
 * before the first connection that needs it. Node itself reads them once in a process, and of a file no further than to
 * the first certificate that it cannot read: the file is read here, too. On Linux, a root that is added later, such as
 * a company's, is taken up, and one that is removed is trusted no longer; on other systems, `findAddedRoots` finds what
 * was added.
 */
export function trustSystemRoots(): void {
  const bundle = findBundle();
  if (!trusted) {
    const roots = bundle ? rootsIn(bundle.file) : [];
    trusted = { version: bundle?.version, roots };
    trust([...tls.getCACertificates('default'), ...tls.getCACertificates('system'), ...roots]);
  } else if (bundle && bundle.version !== trusted.version) {
    const { roots: before } = trusted;
    const roots = rootsIn(bundle.file);
    const isReadable = roots.length > 0;
    trusted = { version: bundle.version, roots: isReadable ? roots : before };
    // Something else than certificates is in it, or it is gone again: those before stay trusted.
    if (!isReadable) return;
    const gone = new Set(before);
    // Node's own are in lines of another length than those that it writes itself.
    for (const kept of [...tls.getCACertificates('bundled'), ...tls.getCACertificates('extra')])
      gone.delete(new X509Certificate(kept).toString());
    trust([...tls.getCACertificates('default').filter((root) => !gone.has(root)), ...roots]);
  }
}

const trust = (roots: readonly string[]) => tls.setDefaultCACertificates([...new Set(roots)]);

/** Whether there were any that had not been trusted. */
function trustAlso(roots: readonly string[]): boolean {
  const before = tls.getCACertificates('default');
  const all = new Set([...before, ...roots]);
  if (all.size === new Set(before).size) return false;
  trust([...all]);
  return true;
}

/** What a root that is trusted as well can mend: Node's names for errors of X509_verify_cert_error_string(3). */
const mendable: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether a certificate was refused for want of a trusted root; `code` is that of the error. */
export const lacksRoot = (code: unknown): boolean => mendable.has(code);

/** Whoever has just added a root tries again soon; whoever meets a stranger again and again has it read now and then. */
const againMs = 10_000;
let again: { until: number; found: Promise<boolean> } | undefined;

/**
 * Trusts the roots that the system has got since this process has read them, and resolves with whether there are any: for
 * a certificate that was refused. Another process reads them, for nobody is to wait for that while pages are served.
 * Those that were taken away stay trusted until the next start.
 */
export function findAddedRoots(): Promise<boolean> {
  // The file is looked at before each connection.
  if (process.platform === 'linux') return Promise.resolve(false);
  if (!again || performance.now() > again.until)
    again = { until: performance.now() + againMs, found: readAgain() };
  return again.found;
}

const program = `process.stdout.write(JSON.stringify(require('node:tls').getCACertificates('system')))`;
const readLimits = { timeout: 20_000, maxBuffer: 64 * 1024 * 1024 };

async function readAgain(): Promise<boolean> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  try {
    const { stdout } = await promisify(execFile)(runtime(), ['-e', program], {
      env,
      windowsHide: true,
      ...readLimits,
    });
    const roots: unknown = JSON.parse(stdout);
    return trustAlso(Array.isArray(roots) ? roots.filter((one) => typeof one === 'string') : []);
  } catch {
    // No runtime beside the app's own, or one that cannot read them: they are read at the next start.
    return false;
  }
}

/** Electron does not run programs of Node: the helper's runtime does. */
function runtime(): string {
  const folder = coreFolder(process.platform);
  return process.versions['electron'] === undefined || folder === undefined
    ? process.execPath
    : path.join(folder, coreRuntime());
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

/** Those that can be read, written as Node writes them; empty without a file. */
function rootsIn(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    return [];
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return found.flatMap((one) => {
    try {
      return [new X509Certificate(one).toString()];
    } catch {
      return [];
    }
  });
}
