import * as z from 'zod/mini';

/** Files beside the programs: what they should be, and who says so. */
export const manifestFile = 'manifest.json';
export const signatureFile = 'manifest.sig';

/** Limits of what is read: a program's folder has some fifty files. */
export const maxManifestBytes = 1_000_000;
export const maxSignatureBytes = 10_000;
const maxFiles = 5_000;

/** Names of files and folders in a path that leads nowhere else, with slashes between them. */
const relativePath = z.string().check(
  z.maxLength(500),
  z.regex(/^[^\p{Cc}\\/]+(?:\/[^\p{Cc}\\/]+)*$/u),
  z.refine((text) => text.split('/').every((name) => name !== '.' && name !== '..'), 'leads elsewhere'),
);

const listedFile = z.strictObject({
  path: relativePath,
  /** In bytes. */
  size: z.int().check(z.nonnegative()),
  /** In hexadecimal digits. */
  sha256: z.string().check(z.regex(/^[\da-f]{64}$/)),
});

const manifestSchema = z.strictObject({
  format: z.literal(1),
  /** Which of our programs' folders it describes: what is signed for one is not good for another. */
  product: z.string().check(z.regex(/^[a-z][a-z-]{0,40}$/)),
  version: z.string().check(z.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)),
  files: z
    .array(listedFile)
    .check(z.minLength(1), z.maxLength(maxFiles), z.refine(isInOrder, 'not in order, or one twice')),
});

/** All files of a program's folder, but for the manifest itself and its signatures. */
export type Manifest = z.infer<typeof manifestSchema>;

/** Each path once, by their code points. */
function isInOrder(files: readonly { path: string }[]): boolean {
  return files.every(({ path }, index) => index === 0 || (files[index - 1]?.path ?? '') < path);
}

/** Undefined if the text is no manifest. */
export function readManifest(text: string): Manifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Negative if `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split('.').map(Number));
  const index = one?.findIndex((number, at) => number !== other?.[at]) ?? -1;
  return index < 0 ? 0 : (one?.[index] ?? 0) - (other?.[index] ?? 0);
}
