import koffi from 'koffi';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import type { Libraries } from './libraries.ts';
import type { Registry, RegistryValue } from './registry.ts';
import { registryConstants as constants } from './registry-constants.ts';
import { codeOf, codes, expectSuccess, meaningOf, SystemError } from './system-error.ts';

const { ERROR_SUCCESS, ERROR_FILE_NOT_FOUND, ERROR_NO_MORE_ITEMS } = codes;
const found = { [ERROR_SUCCESS]: 'found', [ERROR_FILE_NOT_FOUND]: 'absent' } as const;
const deletion = { [ERROR_SUCCESS]: 'deleted', [ERROR_FILE_NOT_FOUND]: 'absent' } as const;

/**
 * A key's name has at most 255 characters; values that are read here are short (Microsoft, “Registry Element Size
 * Limits”).
 */
const maxNameUnits = 256;
const maxValueBytes = 16_384;
const lookEachMs = 500;

export function createRegistry(files: Pick<Libraries, 'advapi32' | 'kernel32'>): Registry {
  const { bind } = loadLibrary(files.advapi32);
  const kernel = loadLibrary(files.kernel32);
  const native = {
    open: bind('RegOpenKeyExW', 'int32', ['uintptr_t', 'str16', 'uint32', 'uint32', returned('uintptr_t')]),
    create: bind('RegCreateKeyExW', 'int32', [
      'uintptr_t',
      'str16',
      'uint32',
      'void *',
      'uint32',
      'uint32',
      'void *',
      returned('uintptr_t'),
      'void *',
    ]),
    close: bind('RegCloseKey', 'int32', ['uintptr_t']),
    flush: bind('RegFlushKey', 'int32', ['uintptr_t']),
    enumerate: bind('RegEnumKeyExW', 'int32', [
      'uintptr_t',
      'uint32',
      'void *',
      koffi.inout(koffi.pointer('uint32')),
      'void *',
      'void *',
      'void *',
      'void *',
    ]),
    query: bind('RegQueryValueExW', 'int32', [
      'uintptr_t',
      'str16',
      'void *',
      returned('uint32'),
      'void *',
      koffi.inout(koffi.pointer('uint32')),
    ]),
    set: bind('RegSetValueExW', 'int32', ['uintptr_t', 'str16', 'uint32', 'uint32', 'void *', 'uint32']),
    deleteValue: bind('RegDeleteValueW', 'int32', ['uintptr_t', 'str16']),
    deleteTree: bind('RegDeleteTreeW', 'int32', ['uintptr_t', 'str16']),
    notify: bind('RegNotifyChangeKeyValue', 'int32', ['uintptr_t', 'int32', 'uint32', 'void *', 'int32']),
    createEvent: kernel.bind('CreateEventW', 'void *', ['void *', 'int32', 'int32', 'void *']),
    wait: kernel.bind('WaitForSingleObject', 'uint32', ['void *', 'uint32']),
    closeHandle: kernel.bind('CloseHandle', 'int32', ['void *']),
  };

  function open(path: string, access: number): unknown {
    const into: unknown[] = [0];
    const outcome = native.open(
      constants.HKEY_LOCAL_MACHINE,
      path,
      0,
      access | constants.KEY_WOW64_64KEY,
      into,
    );
    return meaningOf('RegOpenKeyExW', outcome, found) === 'found' ? into[0] : undefined;
  }

  function withKey<Result>(path: string, access: number, read: (key: unknown) => Result): Result | undefined {
    const key = open(path, access);
    if (key === undefined) return undefined;
    try {
      return read(key);
    } finally {
      native.close(key);
    }
  }

  function namesIn(key: unknown): string[] {
    const names: string[] = [];
    for (let index = 0; ; index += 1) {
      const [name, length]: [Buffer, unknown[]] = [Buffer.alloc(2 * maxNameUnits), [maxNameUnits]];
      const outcome = native.enumerate(key, index, name, length, null, null, null, null);
      if (codeOf(outcome) === ERROR_NO_MORE_ITEMS) return names;
      expectSuccess('RegEnumKeyExW', outcome);
      names.push(name.toString('utf16le', 0, 2 * Number(length[0])));
    }
  }

  function valueOf(key: unknown, name: string): RegistryValue | undefined {
    const data = Buffer.alloc(maxValueBytes);
    const [kind, length]: [unknown[], unknown[]] = [[0], [data.length]];
    const outcome = native.query(key, name, null, kind, data, length);
    if (meaningOf('RegQueryValueExW', outcome, found) === 'absent') return undefined;
    return readValue(Number(kind[0]), data.subarray(0, Number(length[0])));
  }

  return {
    keys: (path) => withKey(path, constants.KEY_READ, namesIn),
    value: (path, name) => withKey(path, constants.KEY_READ, (key) => valueOf(key, name)),
    setValue(path, name, value) {
      const into: unknown[] = [0];
      const access = constants.KEY_WRITE | constants.KEY_WOW64_64KEY;
      expectSuccess(
        'RegCreateKeyExW',
        native.create(constants.HKEY_LOCAL_MACHINE, path, 0, null, 0, access, null, into, null),
      );
      try {
        const { kind, data } = writtenValue(value);
        expectSuccess('RegSetValueExW', native.set(into[0], name, 0, kind, data, data.length));
        // Our journal is on disk by now, and what it undoes should not be less durable.
        expectSuccess('RegFlushKey', native.flush(into[0]));
      } finally {
        native.close(into[0]);
      }
    },
    deleteValue: (path, name) =>
      withKey(path, constants.KEY_WRITE, (key) =>
        meaningOf('RegDeleteValueW', native.deleteValue(key, name), deletion),
      ) ?? 'absent',
    deleteKey(path) {
      const [, parent = '', name = ''] = /^(.*)\\([^\\]+)$/.exec(path) ?? [];
      // RegDeleteTreeW removes all that is in the whole hive if it is given no name.
      if (name === '') throw new TypeError(`not a key that can be deleted: ${path}`);
      return (
        withKey(parent, constants.KEY_READ | constants.KEY_WRITE | constants.DELETE, (key) =>
          meaningOf('RegDeleteTreeW', native.deleteTree(key, name), deletion),
        ) ?? 'absent'
      );
    },
    watch(paths, onChange) {
      const watched = paths.map((path) => watchedKey(path));
      const timer = setInterval(() => {
        if (watched.map((one) => one.hasChanged()).includes(true)) onChange();
      }, lookEachMs).unref();
      return () => {
        clearInterval(timer);
        for (const one of watched) one.close();
      };
    },
  };

  /** Its event is set once by a change, and then armed again. */
  function watchedKey(path: string) {
    const event = native.createEvent(null, 0, 0, null);
    if (event === null) throw new SystemError('CreateEventW', 0);
    let key: unknown;
    const arm = () => {
      const { REG_NOTIFY_CHANGE_NAME: names, REG_NOTIFY_CHANGE_LAST_SET: values } = constants;
      const outcome = native.notify(key, 1, names | values, event, 1);
      if (codeOf(outcome) === ERROR_SUCCESS) return;
      // It was deleted.
      native.close(key);
      key = undefined;
    };
    const openAndArm = () => {
      key = open(path, constants.KEY_READ);
      if (key !== undefined) arm();
      return key !== undefined;
    };
    openAndArm();
    return {
      hasChanged() {
        if (key === undefined) return openAndArm();
        if (codeOf(native.wait(event, 0)) !== constants.WAIT_OBJECT_0) return false;
        arm();
        return true;
      },
      close() {
        if (key !== undefined) native.close(key);
        native.closeHandle(event);
      },
    };
  }
}

function writtenValue(value: RegistryValue): { kind: number; data: Buffer } {
  switch (value.kind) {
    case 'text':
      return { kind: constants.REG_SZ, data: Buffer.from(`${value.text}\0`, 'utf16le') };
    case 'texts':
      return {
        kind: constants.REG_MULTI_SZ,
        data: Buffer.from(`${value.texts.map((text) => `${text}\0`).join('')}\0`, 'utf16le'),
      };
    case 'number': {
      const data = Buffer.alloc(4);
      data.writeUInt32LE(value.number);
      return { kind: constants.REG_DWORD, data };
    }
    default:
      return value satisfies never;
  }
}

/** Texts may lack the zero at their end, whoever has written them. */
function readValue(kind: number, data: Buffer): RegistryValue | undefined {
  const texts = data.toString('utf16le').split('\0');
  switch (kind) {
    case constants.REG_SZ:
    case constants.REG_EXPAND_SZ:
      return { kind: 'text', text: texts[0] ?? '' };
    case constants.REG_MULTI_SZ:
      return { kind: 'texts', texts: texts.filter(Boolean) };
    case constants.REG_DWORD:
      return data.length === 4 ? { kind: 'number', number: data.readUInt32LE() } : undefined;
    default:
      return undefined;
  }
}
