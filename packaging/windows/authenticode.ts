import { rename, rm } from 'node:fs/promises';
import { run } from '../run.ts';

/**
 * The words for osslsigncode(1) that name the certificate, its key and the server for the time, as in
 * `-pkcs12 FILE -readpass FILE -ts URL`, or `-pkcs11module FILE -pkcs11cert URI -key URI -ts URL` for a key in a token;
 * undefined if the environment names none. No word has a space in it.
 */
export function authenticodeWords(env: NodeJS.ProcessEnv): readonly string[] | undefined {
  const words = env['WAYMAKER_AUTHENTICODE']?.split(' ').filter(Boolean) ?? [];
  return words.length > 0 ? words : undefined;
}

/**
 * Signs a program for Windows in place (Authenticode), so that Windows names its publisher. Throws if it cannot be
 * signed, and leaves it as it was.
 */
export async function signProgram(file: string, words: readonly string[]): Promise<void> {
  const signed = `${file}.signed`;
  const how = ['-h', 'sha256', '-n', 'Waymaker'];
  try {
    await run('osslsigncode', ['sign', ...words, ...how, '-in', file, '-out', signed]);
    await rename(signed, file);
  } finally {
    await rm(signed, { force: true });
  }
}
