import { CallFailed } from './last-error.ts';
import { changed, loadLibrary, steadyMemory } from './native-library.ts';

/** A part of the registry. Calls throw `CallFailed`. */
export interface ReadRegistry {
  /** Undefined if there is no such key or value, or if it is no text. */
  text(path: string, name: string): string | undefined;
  /** Undefined if there is no such key or value, or if it is no number of 32 bits. */
  number(path: string, name: string): number | undefined;
}

/** That of the user as whom this process runs (HKEY_CURRENT_USER). */
export interface UserRegistry extends ReadRegistry {
  /** Makes the key if there is none. */
  setText(path: string, name: string, text: string): void;
  /** Does nothing if there is none. */
  remove(path: string, name: string): void;
}

/** Those of the users who are logged in, which administrators may change (HKEY_USERS). */
export interface LoadedRegistries {
  /** The users, by their security identifiers. */
  users(): string[];
  of(user: string): UserRegistry;
}

/** <winreg.h>: on 64 bits, with the sign. */
export const registryRoots = {
  HKEY_CURRENT_USER: -0x7fff_ffff,
  HKEY_LOCAL_MACHINE: -0x7fff_fffe,
  HKEY_USERS: -0x7fff_fffd,
} as const;
const { HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, HKEY_USERS } = registryRoots;
/** <winreg.h>, <winnt.h>, <winerror.h>. */
export const userRegistryConstants = {
  RRF_RT_REG_SZ: 0x2,
  RRF_RT_REG_DWORD: 0x10,
  REG_SZ: 1,
  ERROR_SUCCESS: 0,
  ERROR_FILE_NOT_FOUND: 2,
  ERROR_UNSUPPORTED_TYPE: 1630,
} as const;
const {
  RRF_RT_REG_SZ,
  RRF_RT_REG_DWORD,
  REG_SZ,
  ERROR_SUCCESS,
  ERROR_FILE_NOT_FOUND,
  ERROR_UNSUPPORTED_TYPE,
} = userRegistryConstants;

/** More than any address has. */
const maxBytes = 16_384;
/** Of a key's name, with the zero at its end (Microsoft, “Registry Element Size Limits”). */
const maxNameUnits = 256;

/** That of the machine, which everybody may read (HKEY_LOCAL_MACHINE). */
export const createMachineRegistry = (): ReadRegistry => readerOf(HKEY_LOCAL_MACHINE);

export const createUserRegistry = (): UserRegistry => registryAt(HKEY_CURRENT_USER);

export function createLoadedRegistries(): LoadedRegistries {
  const next = loadLibrary('advapi32.dll').bind('RegEnumKeyW', 'int32', [
    'intptr',
    'uint32',
    'void *',
    'uint32',
  ]);
  const all = registryAt(HKEY_USERS);
  return {
    users() {
      const found: string[] = [];
      const name = steadyMemory(2 * maxNameUnits);
      while (Number(next(HKEY_USERS, found.length, name, maxNameUnits)) === ERROR_SUCCESS)
        found.push(name.toString('utf16le').replace(/\0.*$/s, ''));
      return found;
    },
    of(user) {
      const within = (path: string) => `${user}\\${path}`;
      return {
        text: (path, name) => all.text(within(path), name),
        number: (path, name) => all.number(within(path), name),
        setText: (path, name, text) => all.setText(within(path), name, text),
        remove: (path, name) => all.remove(within(path), name),
      };
    },
  };
}

function registryAt(root: number): UserRegistry {
  const { bind } = loadLibrary('advapi32.dll');
  const native = {
    set: bind('RegSetKeyValueW', 'int32', ['intptr', 'str16', 'str16', 'uint32', 'void *', 'uint32']),
    remove: bind('RegDeleteKeyValueW', 'int32', ['intptr', 'str16', 'str16']),
  };
  return {
    ...readerOf(root),
    setText(path, name, text) {
      const value = Buffer.from(`${text}\0`, 'utf16le');
      const code = Number(native.set(root, path, name, REG_SZ, value, value.length));
      if (code !== ERROR_SUCCESS) throw new CallFailed('RegSetKeyValueW', code);
    },
    remove(path, name) {
      const code = Number(native.remove(root, path, name));
      if (code !== ERROR_SUCCESS && code !== ERROR_FILE_NOT_FOUND)
        throw new CallFailed('RegDeleteKeyValueW', code);
    },
  };
}

function readerOf(root: number): ReadRegistry {
  const get = loadLibrary('advapi32.dll').bind('RegGetValueW', 'int32', [
    'intptr',
    'str16',
    'str16',
    'uint32',
    'void *',
    'void *',
    changed('uint32'),
  ]);

  function read(path: string, name: string, type: number, most: number): Buffer | undefined {
    const found = steadyMemory(most);
    const length: unknown[] = [most];
    const code = Number(get(root, path, name, type, null, found, length));
    if (code === ERROR_FILE_NOT_FOUND || code === ERROR_UNSUPPORTED_TYPE) return undefined;
    if (code !== ERROR_SUCCESS) throw new CallFailed('RegGetValueW', code);
    return found.subarray(0, Number(length[0]));
  }

  return {
    // With the zero at its end.
    text: (path, name) => read(path, name, RRF_RT_REG_SZ, maxBytes)?.subarray(0, -2).toString('utf16le'),
    number: (path, name) => read(path, name, RRF_RT_REG_DWORD, 4)?.readUInt32LE(),
  };
}
