import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The Electron binary, or undefined where there is none. Looks where `require('electron')` looks, without
 * asking it, because asking starts a download.
 */
export function electronBinary(): string | undefined {
  const folder = path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const pathFile = path.join(folder, 'path.txt');
  const executable = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : undefined;
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (override !== undefined) return path.join(override, executable ?? 'electron');
  if (executable === undefined) return undefined;
  const binary = path.join(folder, 'dist', executable);
  return existsSync(binary) ? binary : undefined;
}
