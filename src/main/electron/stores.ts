import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import { app } from 'electron';
import Store from 'electron-store';
import type { TextFile } from '../preferences/route-lists.ts';
import type { KeyValueFile } from '../preferences/settings.ts';

/**
 * A JSON file in the app's data folder, readable by this user only. Keys are taken as they are: without this
 * option a dot in a key would mean a nested property. A damaged file is begun anew.
 */
export function openStore(name: 'settings' | 'page-storage' | 'plan' | 'connection-log'): KeyValueFile {
  return new Store<Record<string, unknown>>({
    name,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: true,
    configFileMode: 0o600,
  });
}

/** For what is too large to be read and written again with each of its parts; written whole or not at all. */
export function openTextFile(name: 'route-lists.json' | 'address-lists.json'): TextFile {
  const file = path.join(app.getPath('userData'), name);
  return {
    read() {
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write: (text) => writeFileSync(file, text, { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  };
}
