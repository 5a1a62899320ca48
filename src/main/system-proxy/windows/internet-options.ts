import koffi from 'koffi';
import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { changed, loadLibrary } from '#node/os/windows/native-library.ts';

/** The user's settings for the internet, as WinINET and programs that follow it see them. Calls throw `CallFailed`. */
export interface InternetOptions {
  /** Whether programs look for a PAC file on the network first. */
  isDetecting(): boolean;
  setDetecting(isOn: boolean): void;
  /** Tells all programs that something has changed. */
  announce(): void;
}

/** <wininet.h>. */
const INTERNET_OPTION_REFRESH = 37;
const INTERNET_OPTION_SETTINGS_CHANGED = 39;
const INTERNET_OPTION_PER_CONNECTION_OPTION = 75;
const INTERNET_PER_CONN_FLAGS = 1;
const PROXY_TYPE_AUTO_DETECT = 8;

export function createInternetOptions(): InternetOptions {
  const { bind } = loadLibrary('wininet.dll');
  /** INTERNET_PER_CONN_OPTIONW, whose value is a union with an address in it, and its list, for the local network. */
  const option = koffi.struct({ dwOption: 'uint32', dwValue: 'uint64' });
  const list = koffi.struct({
    dwSize: 'uint32',
    pszConnection: 'str16',
    dwOptionCount: 'uint32',
    dwOptionError: 'uint32',
    pOptions: koffi.pointer(option),
  });
  const native = {
    set: bind('InternetSetOptionW', 'int', ['uintptr', 'uint32', koffi.pointer(list), 'uint32']),
    tell: bind('InternetSetOptionW', 'int', ['uintptr', 'uint32', 'uintptr', 'uint32']),
    query: bind('InternetQueryOptionW', 'int', [
      'uintptr',
      'uint32',
      koffi.inout(koffi.pointer(list)),
      changed('uint32'),
    ]),
  };
  const size = koffi.sizeof(list);

  /** Memory of one option: the number of what is asked for, and what is found. */
  function withFlags<Result>(value: number, ask: (given: object, read: () => number) => Result): Result {
    const memory = koffi.alloc(option, 1);
    try {
      koffi.encode(memory, option, { dwOption: INTERNET_PER_CONN_FLAGS, dwValue: value });
      const given = {
        dwSize: size,
        pszConnection: null,
        dwOptionCount: 1,
        dwOptionError: 0,
        pOptions: memory,
      };
      return ask(given, () => {
        const { dwValue } = koffi.decode(memory, option) as { dwValue: number | bigint };
        return Number(BigInt(dwValue) & 0xffff_ffffn);
      });
    } finally {
      koffi.free(memory);
    }
  }

  const flags = () =>
    withFlags(0, (given, read) => {
      orThrow('InternetQueryOptionW', native.query(0, INTERNET_OPTION_PER_CONNECTION_OPTION, given, [size]));
      return read();
    });

  return {
    isDetecting: () => (flags() & PROXY_TYPE_AUTO_DETECT) !== 0,
    setDetecting(isOn) {
      const before = flags();
      const after = isOn ? before | PROXY_TYPE_AUTO_DETECT : before & ~PROXY_TYPE_AUTO_DETECT;
      if (after === before) return;
      withFlags(after, (given) =>
        orThrow('InternetSetOptionW', native.set(0, INTERNET_OPTION_PER_CONNECTION_OPTION, given, size)),
      );
    },
    announce() {
      const isChanged = Number(native.tell(0, INTERNET_OPTION_SETTINGS_CHANGED, 0, 0)) !== 0;
      const changedCode = isChanged ? 0 : lastError();
      orThrow('InternetSetOptionW', native.tell(0, INTERNET_OPTION_REFRESH, 0, 0));
      if (!isChanged) throw new CallFailed('InternetSetOptionW', changedCode);
    },
  };
}
