import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import * as z from 'zod/mini';

/**
 * What is signed begins with one of these, so that no signature of something else, made with the same key, is taken for
 * one of it.
 */
const purposes = {
  manifest: Buffer.from('Waymaker manifest, format 1\n'),
  feed: Buffer.from('Waymaker update feed, format 1\n'),
} as const;
export type Purpose = keyof typeof purposes;

const signaturesSchema = z.strictObject({
  signatures: z
    .array(
      z.strictObject({
        /** `keyId` of the key. */
        key: z.string().check(z.regex(/^[\da-f]{16}$/)),
        /** As base64. */
        signature: z.string().check(z.maxLength(100)),
      }),
    )
    .check(z.minLength(1), z.maxLength(8)),
});

/** What precedes the 32 bytes of a public ed25519 key in its DER form (RFC 8410, §4). */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** A public ed25519 key, whose 32 bytes are given as base64. Throws if they are something else. */
export function publicKeyOf(base64: string): KeyObject {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 32) throw new Error('not a public ed25519 key');
  return createPublicKey({ key: Buffer.concat([derPrefix, bytes]), format: 'der', type: 'spki' });
}

/** The 32 bytes of a public ed25519 key as base64. */
export const base64Of = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).subarray(derPrefix.length).toString('base64');

/** A short name of a public key: the first 16 hexadecimal digits of its SHA-256. */
const keyId = (key: KeyObject): string =>
  createHash('sha256')
    .update(Buffer.from(base64Of(key), 'base64'))
    .digest('hex')
    .slice(0, 16);

/** The content of a signature file: one signature by each key. */
export const signText = (text: Buffer, purpose: Purpose, privateKeys: readonly KeyObject[]): string => {
  const signatures = privateKeys.map((key) => ({
    key: keyId(createPublicKey(key)),
    signature: sign(null, Buffer.concat([purposes[purpose], text]), key).toString('base64'),
  }));
  return `${JSON.stringify({ signatures }, null, 2)}\n`;
};

/**
 * Whether one of the trusted keys has signed: `unreadable` if the text is no signature file, `foreign` if only others
 * have, `wrong` if it names a trusted key whose signature does not fit.
 */
export function judgeSignatures(
  signed: Buffer,
  purpose: Purpose,
  text: string,
  trusted: readonly KeyObject[],
): 'good' | 'wrong' | 'foreign' | 'unreadable' {
  let parsed: z.infer<typeof signaturesSchema>;
  try {
    parsed = signaturesSchema.parse(JSON.parse(text));
  } catch {
    return 'unreadable';
  }
  const known = new Map(trusted.map((key) => [keyId(key), key]));
  let isNamed = false;
  for (const { key: id, signature } of parsed.signatures) {
    const key = known.get(id);
    if (!key) continue;
    isNamed = true;
    if (verify(null, Buffer.concat([purposes[purpose], signed]), key, Buffer.from(signature, 'base64')))
      return 'good';
  }
  return isNamed ? 'wrong' : 'foreign';
}
