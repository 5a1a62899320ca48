import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { authenticodeWords, signProgram } from '../../../packaging/windows/authenticode.ts';
import { run } from '../../../packaging/run.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-authenticode-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string) => path.join(folder, name);

/** A publisher's certificate and key, as PKCS#12. */
function makeCertificate(): string {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  const made = ['-keyout', 'key.pem', '-out', 'certificate.pem', '-subj', '/CN=Publisher'];
  const use = ['-addext', 'extendedKeyUsage=codeSigning'];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...made, ...use);
  writeFileSync(inFolder('password'), 'secret');
  const out = ['-out', 'key.p12', '-passout', 'file:password'];
  openssl('pkcs12', '-export', '-inkey', 'key.pem', '-in', 'certificate.pem', ...out);
  return `-pkcs12 ${inFolder('key.p12')} -readpass ${inFolder('password')}`;
}

/** An installer and its uninstaller, which has nothing to do. */
function makeInstaller(file: string, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): void {
  const script = inFolder('installer.nsi');
  writeFileSync(
    script,
    `OutFile "${file}"
     !ifdef SIGN
       !uninstfinalize '\${SIGN} "%1"' = 0
     !endif
     !uninstfinalize 'cp "%1" "${file}.uninstaller"' = 0
     Section
       WriteUninstaller "$TEMP\\uninstall.exe"
     SectionEnd
     Section Uninstall
     SectionEnd`,
  );
  execFileSync('makensis', ['-V1', ...words, script], { env: { ...process.env, ...env } });
}

const verify = (file: string) =>
  run('osslsigncode', ['verify', '-CAfile', inFolder('certificate.pem'), '-in', file]);

test('a program is signed with the certificate that is named, and any change is noticed', async () => {
  const words = authenticodeWords({ WAYMAKER_AUTHENTICODE: makeCertificate() });
  if (!words) throw new Error('the words are missing');
  const file = inFolder('installer.exe');
  makeInstaller(file);
  await expect(verify(file)).rejects.toThrow('No signature found');
  await signProgram(file, words);
  expect(await verify(file)).toContain('Publisher');

  const bytes = readFileSync(file);
  const at = bytes.indexOf('This program cannot be run');
  bytes[at] = 0;
  writeFileSync(file, bytes);
  await expect(verify(file)).rejects.toThrow();
});

test('the uninstaller is signed before it is packed', async () => {
  const program = path.resolve(import.meta.dirname, '../../../packaging/windows/sign-program.ts');
  const file = inFolder('with-uninstaller.exe');
  makeInstaller(file);
  await expect(verify(`${file}.uninstaller`)).rejects.toThrow('No signature found');
  const words = [`-DSIGN="${process.execPath}" "${program}"`];
  makeInstaller(file, words, { WAYMAKER_AUTHENTICODE: makeCertificate() });
  expect(await verify(`${file}.uninstaller`)).toContain('Publisher');
});

test('a program that cannot be signed stays as it was', async () => {
  const file = inFolder('other.exe');
  makeInstaller(file);
  const before = readFileSync(file);
  await expect(signProgram(file, ['-pkcs12', inFolder('missing.p12')])).rejects.toThrow(
    'osslsigncode failed',
  );
  expect(readFileSync(file)).toEqual(before);
});

test('without a certificate nothing is signed', () => {
  expect(authenticodeWords({})).toBeUndefined();
  expect(authenticodeWords({ WAYMAKER_AUTHENTICODE: ' ' })).toBeUndefined();
});
