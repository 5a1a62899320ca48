import path from 'node:path';
import type { FolderProblem } from './check-folder.ts';

/** What the folder of helper, proxy, command line and runtime is signed as. */
export const coreProduct = 'waymaker-core';

/** What the folder of the window beside it is signed as, where one installer has both. */
export const windowProduct = 'waymaker-window';

/** Where it is installed; undefined on systems without such a package. */
export function coreFolder(platform: NodeJS.Platform): string | undefined {
  if (platform === 'linux') return '/usr/lib/waymaker';
  if (platform === 'darwin') return '/Library/Application Support/Waymaker/core';
  return platform === 'win32' ? path.win32.join(programFiles(), 'Waymaker', 'core') : undefined;
}

/** Where packages for Linux have the window. */
export const desktopFolder = '/opt/Waymaker';

/** Programs of users look here: what users do to their own environment concerns nobody else. */
const programFiles = (): string => process.env['ProgramFiles'] ?? String.raw`C:\Program Files`;

/** The runtime in it, which takes longest to compare. */
export const coreRuntime = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' ? 'node.exe' : 'node';

/** What is wrong, and what to do, for logs. */
export function describeProblem(problem: FolderProblem): string {
  // Elsewhere, it is a part of the app's package.
  const installed = process.platform === 'linux' ? `the package ${coreProduct}` : 'Waymaker';
  if (problem.kind !== 'too-old') return `${what(problem)}; install ${installed} again`;
  const { version, floor } = problem;
  return (
    `version ${version} is older than ${floor}, which has run here before; install the current version, or, to go ` +
    'back on purpose, remove version-floor from the helper’s folder of state'
  );
}

function what(problem: Exclude<FolderProblem, { kind: 'too-old' }>): string {
  if ('path' in problem) return `${problem.path} ${ofFile[problem.kind]}`;
  if (problem.kind === 'other-product') return `the files are signed as ${problem.product}`;
  return ofManifest[problem.kind];
}

const ofFile = {
  changed: 'is not what was signed',
  missing: 'is missing',
  unknown: 'was not signed with the rest',
  'not-a-file': 'is no regular file',
} as const;

const ofManifest = {
  unsigned: 'there is no signed list of the files',
  'foreign-key': 'the files are signed by somebody else',
  'wrong-signature': 'the list of files has been changed since it was signed',
} as const;
