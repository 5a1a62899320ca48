import { isIP } from 'node:net';
import path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { run, words } from '../runs/process.ts';

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

const newKey = words('-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes');
const days = words('-days 30');
const output = (files: CertificateFiles) => ['-keyout', files.key, '-out', files.certificate];

/** A certificate authority, valid for a month, in PEM files of `directory`. */
async function createAuthority(directory: string, name: string): Promise<CertificateFiles> {
  const files = pemFiles(directory, 'authority');
  await run([
    ...words('openssl req -x509 -addext keyUsage=critical,keyCertSign,cRLSign'),
    ...newKey,
    ...days,
    '-subj',
    `/CN=Waymaker laboratory, authority of ${name}`,
    ...output(files),
  ]);
  return files;
}

/** A server certificate for one name or address, signed by `authority`. */
export async function createCertificate(
  directory: string,
  authority: CertificateFiles,
  hostName: string,
): Promise<CertificateFiles> {
  const files = pemFiles(directory, hostName);
  const request = path.join(directory, `${hostName}.csr`);
  const extensions = path.join(directory, `${hostName}.ext`);
  await run([
    ...words('openssl req -new'),
    ...newKey,
    '-subj',
    `/CN=${hostName}`,
    ...output({ certificate: request, key: files.key }),
  ]);
  await writeFile(
    extensions,
    [
      'basicConstraints=CA:FALSE',
      'keyUsage=digitalSignature',
      'extendedKeyUsage=serverAuth',
      `subjectAltName=${isIP(hostName) === 0 ? 'DNS' : 'IP'}:${hostName}`,
    ].join('\n'),
  );
  await run([
    ...words('openssl x509 -req -CAcreateserial'),
    ...days,
    '-in',
    request,
    '-CA',
    authority.certificate,
    '-CAkey',
    authority.key,
    '-extfile',
    extensions,
    '-out',
    files.certificate,
  ]);
  return files;
}

/** Files, or what is in them. */
interface Identity {
  readonly authority: CertificateFiles;
  readonly certificate: CertificateFiles;
}

/** The texts of those made before, by name. */
const madeBefore = new Map<string, Promise<Identity>>();

/** An authority and a certificate signed by it: the same ones each time in a process, since to make them takes time. */
export async function writeIdentity(directory: string, hostName: string): Promise<Identity> {
  const files = { authority: pemFiles(directory, 'authority'), certificate: pemFiles(directory, hostName) };
  const known = madeBefore.get(hostName);
  if (!known) {
    const making = createIdentity(directory, hostName);
    madeBefore.set(hostName, making);
    await making;
    return files;
  }
  const texts = await known;
  for (const whose of ['authority', 'certificate'] as const)
    for (const part of ['certificate', 'key'] as const)
      await writeFile(files[whose][part], texts[whose][part], { mode: part === 'key' ? 0o600 : 0o644 });
  return files;
}

async function createIdentity(directory: string, hostName: string): Promise<Identity> {
  const authority = await createAuthority(directory, hostName);
  const certificate = await createCertificate(directory, authority, hostName);
  const textsOf = async (files: CertificateFiles) => ({
    certificate: await readFile(files.certificate, 'utf8'),
    key: await readFile(files.key, 'utf8'),
  });
  return { authority: await textsOf(authority), certificate: await textsOf(certificate) };
}

function pemFiles(directory: string, name: string): CertificateFiles {
  return { certificate: path.join(directory, `${name}.crt`), key: path.join(directory, `${name}.key`) };
}
