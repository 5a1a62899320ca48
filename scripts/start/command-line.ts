import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { builtMain } from '../../tests/e2e/support/host/paths.ts';
import type { Place } from './place.ts';
import { sudo } from './root-command.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Writes a program that runs the command line on the desktop app's machine; returns how to call it from the root. */
export async function writeCommandLine(place: Place, userData: string): Promise<string> {
  const file = path.join(root, '.waymaker/waymaker');
  const argv = [process.execPath, path.join(path.dirname(builtMain), 'cli.js')];
  const env = {
    ...place.env,
    WAYMAKER_API_URL: place.apiUrl,
    WAYMAKER_USER_DATA: userData,
    // The same as the app's, otherwise it would look for its core elsewhere.
    XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? '',
  };
  const command = [
    'env',
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...(place.machine?.command(argv).flat() ?? argv),
  ];
  await writeFile(file, `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@"\n`);
  await chmod(file, 0o755);
  return `${place.machine ? sudo(process.env) : ''}${path.relative(root, file)}`;
}

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
