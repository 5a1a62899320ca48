import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync } from 'atomically';
import Conf from 'conf';
import { settingsRecovery, type KeyValueFile } from './settings.ts';
import { openTextFileIn } from './text-file.ts';

type Content = Record<string, unknown>;

export interface Recovery {
  /** Whether everything in the file is of its kind. */
  isSound(content: Content): boolean;
  /**
   * What a damaged file is to contain. `copy` is what it contained after its last change, and `found` what it contains
   * now, if these can be read.
   */
  recover(copy: Content | undefined, found: Content | undefined): Content;
}

/**
 * A JSON file in the app's data folder, readable only by this user. Keys are used literally: without that option, a dot
 * in a key would mean a nested property.
 *
 * With a recovery, a copy is written after each change, and a file that is damaged or gone gets the content that
 * `recover` makes of it; what somebody may have written there by hand is kept beside it. Without, such a file is empty:
 * that is for what the service sends again, or nobody misses.
 */
export function openKeptFile(folder: string, name: string, recovery?: Recovery): KeyValueFile {
  const copyFile = path.join(folder, `${name}.last-good.json`);
  let isDamaged = false;
  const damagedFile = path.join(folder, `${name}.damaged.json`);
  /** Not of an empty or zeroed file, which has nothing. */
  function keepDamaged(text: string): void {
    if (!recovery || /^\0*$/.test(text.trim()) || readText(damagedFile) === text) return;
    try {
      writeFileSync(damagedFile, text, { mode: 0o600 });
    } catch {
      // There is no room for it.
    }
  }
  function recovered(found?: Content): Content {
    isDamaged = true;
    return recovery?.recover(readCopy(copyFile), found) ?? {};
  }
  /** The last text that was sound: it is read often. */
  let soundText: string | undefined;
  function read(text: string): Content {
    const content = readObject(text);
    if (!content || (text !== soundText && recovery?.isSound(content) === false)) {
      keepDamaged(text);
      return recovered(content);
    }
    soundText = text;
    return content;
  }
  const file = new Conf<Content>({
    cwd: folder,
    configName: name,
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
    deserialize: read,
  });
  const isGone = () => recovery !== undefined && !existsSync(file.path) && existsSync(copyFile);
  const content = () => (isGone() ? recovered() : file.store);

  /** So that the next damage finds this content, a kill switch that was just turned on included. */
  function keepCopy(): void {
    if (!recovery) return;
    const text = JSON.stringify(file.store);
    if (readText(copyFile) !== text) writeFileSync(copyFile, text, { mode: 0o600 });
  }

  function change(make: () => void): void {
    if (isGone()) file.store = recovered();
    make();
    try {
      keepCopy();
    } catch {
      // The change itself is on the disk. An older copy is better than none: whoever gets it back is told.
    }
  }

  const found = content();
  try {
    if (isDamaged) change(() => (file.store = found));
    else if (existsSync(file.path)) keepCopy();
  } catch {
    // On a disk that takes nothing, it is recovered with every read.
  }
  return {
    get: (key) => content()[key],
    set: (key, value) => change(() => file.set(key, value)),
    delete: (key) => change(() => file.delete(key)),
    clear: () => change(() => file.clear()),
  };
}

/** All files that the core keeps, in the app's data folder. */
export function openCoreFiles(folder: string) {
  return {
    settingsFile: openKeptFile(folder, 'settings', settingsRecovery),
    pageFile: openKeptFile(folder, 'page-storage'),
    planFile: openKeptFile(folder, 'plan'),
    connectionLogFile: openKeptFile(folder, 'connection-log'),
    listsFile: openTextFileIn(folder, 'route-lists.json'),
    addressListsFile: openTextFileIn(folder, 'address-lists.json'),
  };
}

/** Undefined if it is no JSON object: cut off, zeroed, empty, or written over by something else. */
function readObject(text: string): Content | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Content)
      : undefined;
  } catch {
    return undefined;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

const readCopy = (file: string) => readObject(readText(file) ?? '');
