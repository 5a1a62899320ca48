import koffi from 'koffi';
import { orThrow } from '#node/os/windows/last-error.ts';
import { addressOf, changed, loadLibrary, steadyMemory } from '#node/os/windows/native-library.ts';
import { structure } from '#node/os/windows/structure.ts';

/**
 * How programs find a proxy, as WinINET has it for one connection; `undefined` is the local network. Calls throw
 * `CallFailed`.
 */
export interface ConnectionOptions {
  /** Settings that were never made are those without a proxy. */
  read(connection: string | undefined): ConnectionSettings;
  /** What is given, at once; an empty script is none. */
  write(connection: string | undefined, settings: Partial<ConnectionSettings>): void;
}

export interface ConnectionSettings {
  /** PROXY_TYPE_… */
  flags: number;
  /** The address of a PAC file, which counts if the flags say so. */
  script: string;
}

/** <wininet.h>. */
export const connectionConstants = {
  INTERNET_OPTION_PER_CONNECTION_OPTION: 75,
  INTERNET_PER_CONN_FLAGS: 1,
  INTERNET_PER_CONN_AUTOCONFIG_URL: 4,
  PROXY_TYPE_DIRECT: 1,
  PROXY_TYPE_AUTO_PROXY_URL: 4,
  PROXY_TYPE_AUTO_DETECT: 8,
} as const;
const constants = connectionConstants;

/** Its value is a union with an address in it. */
export const INTERNET_PER_CONN_OPTIONW = structure(
  'INTERNET_PER_CONN_OPTIONW',
  { dwOption: 'uint32', dwValue: 'uint64' },
  { dwValue: 'Value' },
);

export const INTERNET_PER_CONN_OPTION_LISTW = structure('INTERNET_PER_CONN_OPTION_LISTW', {
  dwSize: 'uint32',
  pszConnection: 'str16',
  dwOptionCount: 'uint32',
  dwOptionError: 'uint32',
  pOptions: 'uintptr',
});

export function createConnectionOptions(
  files: { wininet: string; kernel32: string } = { wininet: 'wininet.dll', kernel32: 'kernel32.dll' },
): ConnectionOptions {
  const { bind } = loadLibrary(files.wininet);
  const { type: option } = INTERNET_PER_CONN_OPTIONW;
  const { type: list } = INTERNET_PER_CONN_OPTION_LISTW;
  const native = {
    set: bind('InternetSetOptionW', 'int', ['uintptr', 'uint32', koffi.pointer(list), 'uint32']),
    query: bind('InternetQueryOptionW', 'int', [
      'uintptr',
      'uint32',
      koffi.inout(koffi.pointer(list)),
      changed('uint32'),
    ]),
    free: loadLibrary(files.kernel32).bind('GlobalFree', 'uintptr', ['uintptr']),
  };
  const [size, optionSize] = [koffi.sizeof(list), koffi.sizeof(option)];
  const { INTERNET_PER_CONN_FLAGS, INTERNET_PER_CONN_AUTOCONFIG_URL } = constants;
  const what = constants.INTERNET_OPTION_PER_CONNECTION_OPTION;

  /** Memory of the options, and the list that leads to it. */
  function listOf(
    connection: string | undefined,
    values: readonly (readonly [kind: number, value: bigint])[],
  ) {
    const options = steadyMemory(values.length * optionSize);
    for (const [index, [dwOption, dwValue]] of values.entries())
      koffi.encode(options, index * optionSize, option, { dwOption, dwValue });
    const given = {
      dwSize: size,
      pszConnection: connection ?? null,
      dwOptionCount: values.length,
      dwOptionError: 0,
      pOptions: addressOf(options),
    };
    const valueOf = (index: number) =>
      BigInt((koffi.decode(options, index * optionSize, option) as { dwValue: number | bigint }).dwValue);
    return { given, valueOf };
  }

  return {
    read(connection) {
      const { given, valueOf } = listOf(connection, [
        [INTERNET_PER_CONN_FLAGS, 0n],
        [INTERNET_PER_CONN_AUTOCONFIG_URL, 0n],
      ]);
      orThrow('InternetQueryOptionW', native.query(0, what, given, [size]));
      const text = valueOf(1);
      try {
        return { flags: Number(valueOf(0) & 0xffff_ffffn), script: text === 0n ? '' : textAt(text) };
      } finally {
        if (text !== 0n) native.free(text);
      }
    },
    write(connection, { flags, script }) {
      const text = script === undefined ? undefined : steadyMemory(2 * (script.length + 1));
      text?.write(script ?? '', 'utf16le');
      const { given } = listOf(connection, [
        ...(flags === undefined ? [] : [[INTERNET_PER_CONN_FLAGS, BigInt(flags)] as const]),
        ...(text === undefined ? [] : [[INTERNET_PER_CONN_AUTOCONFIG_URL, addressOf(text)] as const]),
      ]);
      orThrow('InternetSetOptionW', native.set(0, what, given, size));
    },
  };
}

const textAt = (address: bigint): string => koffi.decode(address, 'char16_t', -1) as string;
