import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Records what was built, to compare it with the current source. */
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

/** A hash of the names and contents of everything that a build reads. */
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

const isBuildCurrent = (): boolean => existsSync(stamp) && readFileSync(stamp, 'utf8') === sourcesHash();

/**
 * Call this before a build, so that an interrupted one does not count as current. Returns a function that marks the
 * build as complete, for the source as it is now.
 */
export function beginBuild(): () => void {
  rmSync(stamp, { force: true });
  const hash = sourcesHash();
  return () => writeFileSync(stamp, hash);
}

/** Builds unless the current build is up to date. */
export async function buildIfStale(): Promise<void> {
  if (isBuildCurrent()) return;
  console.log('Building the app …');
  await import('./build.ts');
}
