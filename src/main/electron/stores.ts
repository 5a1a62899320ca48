import { app } from 'electron';
import Store from 'electron-store';
import type { TextFile } from '../preferences/route-lists.ts';
import type { KeyValueFile } from '../preferences/settings.ts';
import { openTextFileIn } from '../preferences/text-file.ts';

/**
 * A JSON file in the app's data folder, readable only by this user. Keys are used literally: without this option, a dot
 * in a key would mean a nested property. A damaged file is replaced by an empty one.
 */
export function openStore(name: 'settings' | 'page-storage' | 'plan' | 'connection-log'): KeyValueFile {
  return new Store<Record<string, unknown>>({
    name,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: true,
    configFileMode: 0o600,
  });
}

export const openTextFile = (name: 'route-lists.json' | 'address-lists.json'): TextFile =>
  openTextFileIn(app.getPath('userData'), name);
