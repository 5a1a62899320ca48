import Store from 'electron-store';
import type { KeyValueFile } from '../preferences/settings.ts';

/**
 * A JSON file in the app's data folder, readable by this user only. Keys are taken as they are: without this
 * option a dot in a key would mean a nested property. A damaged file is begun anew.
 */
export function openStore(name: 'settings' | 'page-storage' | 'routing' | 'plan'): KeyValueFile {
  return new Store<Record<string, unknown>>({
    name,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: true,
    configFileMode: 0o600,
  });
}
