import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { base64Of, publicKeyOf } from '../../src/node/manifest/signatures.ts';

/** What a release is signed with, and what its programs trust. */
export interface SigningKeys {
  privateKeys: KeyObject[];
  /** As base64: those of the private keys, and of ones that are kept in reserve. */
  publicKeys: string[];
  /** Whether nobody should trust them. */
  isTest: boolean;
}

/**
 * The keys that the environment names: `WAYMAKER_SIGNING_KEY` is a file with a private ed25519 key (PKCS#8, PEM), or
 * several files with colons between them, and `WAYMAKER_RESERVE_KEYS` public keys as base64 with spaces between them,
 * whose private halves are kept elsewhere. Without a file, it is a key that everybody can make, for tests only.
 */
export async function signingKeys(env: NodeJS.ProcessEnv): Promise<SigningKeys> {
  const files = env['WAYMAKER_SIGNING_KEY']?.split(':').filter(Boolean) ?? [];
  const reserve = env['WAYMAKER_RESERVE_KEYS']?.split(' ').filter(Boolean) ?? [];
  for (const key of reserve) publicKeyOf(key);
  const privateKeys = await Promise.all(files.map(async (file) => readPrivateKey(file)));
  const isTest = privateKeys.length === 0;
  if (isTest) privateKeys.push(testKey());
  const publicKeys = [...privateKeys.map((key) => base64Of(createPublicKey(key))), ...reserve];
  return { privateKeys, publicKeys: [...new Set(publicKeys)], isTest };
}

/** What precedes the 32 bytes of a private ed25519 key in its DER form (RFC 8410, §7). */
const derPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Always the same, so that packages are the same whoever makes them. It protects nothing. */
function testKey(): KeyObject {
  const bytes = createHash('sha256').update('Waymaker, the signing key of tests').digest();
  return createPrivateKey({ key: Buffer.concat([derPrefix, bytes]), format: 'der', type: 'pkcs8' });
}

async function readPrivateKey(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file, 'utf8'));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} holds no ed25519 key`);
  return key;
}
