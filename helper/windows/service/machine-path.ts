import { CallFailed } from '#node/os/windows/last-error.ts';
import { changed, loadLibrary, returned, steadyMemory } from '#node/os/windows/native-library.ts';

/** <winreg.h>, <winnt.h>, <winerror.h>. */
export const pathConstants = {
  /** Extended to 64 bits with its sign. */
  HKEY_LOCAL_MACHINE: -0x7fff_fffe,
  RRF_RT_REG_SZ: 0x2,
  RRF_RT_REG_EXPAND_SZ: 0x4,
  RRF_NOEXPAND: 0x1000_0000,
  REG_EXPAND_SZ: 2,
  ERROR_SUCCESS: 0,
  ERROR_FILE_NOT_FOUND: 2,
} as const;
const { HKEY_LOCAL_MACHINE, REG_EXPAND_SZ, ERROR_SUCCESS, ERROR_FILE_NOT_FOUND } = pathConstants;

/** The variables of all users (Microsoft, “Environment Variables”). */
const key = String.raw`SYSTEM\CurrentControlSet\Control\Session Manager\Environment`;
const name = 'Path';
/** No variable is longer: 32,767 characters, of two bytes. */
const maxBytes = 2 * 32_768;

/** Where Windows looks for programs, for all users: adds or removes a folder, and leaves all others as they are. */
export function changeMachinePath(change: 'add' | 'remove', folder: string): void {
  const { bind } = loadLibrary('advapi32.dll');
  const get = bind('RegGetValueW', 'int32', [
    'intptr',
    'str16',
    'str16',
    'uint32',
    returned('uint32'),
    'void *',
    changed('uint32'),
  ]);
  const set = bind('RegSetKeyValueW', 'int32', ['intptr', 'str16', 'str16', 'uint32', 'void *', 'uint32']);
  const found = steadyMemory(maxBytes);
  const kind: unknown[] = [REG_EXPAND_SZ];
  const length: unknown[] = [found.length];
  const { RRF_RT_REG_SZ, RRF_RT_REG_EXPAND_SZ, RRF_NOEXPAND } = pathConstants;
  const flags = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND;
  const code = Number(get(HKEY_LOCAL_MACHINE, key, name, flags, kind, found, length));
  // Anything else, such as a value that is too long, is not overwritten.
  if (code !== ERROR_SUCCESS && code !== ERROR_FILE_NOT_FOUND) throw new CallFailed('RegGetValueW', code);
  const text = code === ERROR_SUCCESS ? found.toString('utf16le', 0, Number(length[0]) - 2) : '';
  const wanted = changedPath(text, change, folder);
  if (wanted === text) return;
  const value = Buffer.from(`${wanted}\0`, 'utf16le');
  if (value.length > maxBytes) throw new RangeError('the variable Path has no room for another folder');
  const written = Number(
    set(HKEY_LOCAL_MACHINE, key, name, code === ERROR_SUCCESS ? kind[0] : REG_EXPAND_SZ, value, value.length),
  );
  if (written !== ERROR_SUCCESS) throw new CallFailed('RegSetKeyValueW', written);
}

/** The text of such a variable with a folder, once, at its end; or without it. */
export function changedPath(text: string, change: 'add' | 'remove', folder: string): string {
  const isIt = (one: string) => one.replace(/\\$/, '').toLowerCase() === folder.toLowerCase();
  const folders = text.split(';');
  if (change === 'remove') return folders.some(isIt) ? folders.filter((one) => !isIt(one)).join(';') : text;
  if (folders.some(isIt)) return text;
  return text === '' || text.endsWith(';') ? `${text}${folder}` : `${text};${folder}`;
}
