import { CallFailed, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { connectionConstants, type ConnectionOptions } from './connection-options.ts';

/** The user's settings for the internet, as WinINET and programs that follow it see them. Calls throw `CallFailed`. */
export interface InternetOptions {
  /** Whether programs look for a PAC file on the network first. */
  isDetecting(): boolean;
  setDetecting(isOn: boolean): void;
  /** Tells all programs that something has changed. */
  announce(): void;
}

/** <wininet.h>. */
export const optionConstants = {
  INTERNET_OPTION_REFRESH: 37,
  INTERNET_OPTION_SETTINGS_CHANGED: 39,
} as const;
const { INTERNET_OPTION_REFRESH, INTERNET_OPTION_SETTINGS_CHANGED } = optionConstants;
const { PROXY_TYPE_AUTO_DETECT } = connectionConstants;

export function createInternetOptions(connections: ConnectionOptions): InternetOptions {
  const tell = loadLibrary('wininet.dll').bind('InternetSetOptionW', 'int', [
    'uintptr',
    'uint32',
    'uintptr',
    'uint32',
  ]);
  const flags = () => connections.read(undefined).flags;
  return {
    isDetecting: () => (flags() & PROXY_TYPE_AUTO_DETECT) !== 0,
    setDetecting(isOn) {
      const before = flags();
      const after = isOn ? before | PROXY_TYPE_AUTO_DETECT : before & ~PROXY_TYPE_AUTO_DETECT;
      if (after !== before) connections.write(undefined, { flags: after });
    },
    announce() {
      const isChanged = Number(tell(0, INTERNET_OPTION_SETTINGS_CHANGED, 0, 0)) !== 0;
      const changedCode = isChanged ? 0 : lastError();
      orThrow('InternetSetOptionW', tell(0, INTERNET_OPTION_REFRESH, 0, 0));
      if (!isChanged) throw new CallFailed('InternetSetOptionW', changedCode);
    },
  };
}
