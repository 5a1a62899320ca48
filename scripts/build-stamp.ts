import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** By which it is known whether what is built is what is in the source now. */
const root = path.resolve(import.meta.dirname, '..');
const stamp = path.join(root, 'out/.built-from');

const sources = [
  'src/**/*',
  'helper/**/*',
  'resources/**/*',
  'scripts/*.ts',
  'electron.vite.config.ts',
  'tsconfig*.json',
  'package.json',
  'package-lock.json',
  'LICENSE',
  'THIRD-PARTY-NOTICES',
];

/** Names and contents of all that a build reads. */
function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const entry of globSync(sources, { cwd: root, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath, file.name))
    .toSorted()) {
    hash.update(`${path.relative(root, entry)}\0`).update(readFileSync(entry));
  }
  return hash.digest('hex');
}

export const isBuildCurrent = (): boolean =>
  existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesHash();

/** Before a build: one that breaks off is not current. Returns what marks the end of one of the sources as they are now. */
export function beginBuild(): () => void {
  rmSync(stamp, { force: true });
  const hash = sourcesHash();
  return () => writeFileSync(stamp, hash);
}

/** Builds unless that would change nothing. */
export async function buildIfStale(): Promise<void> {
  if (isBuildCurrent()) return;
  console.log('Building the app …');
  await import('./build.ts');
}
