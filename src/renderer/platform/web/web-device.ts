import { defaultDeviceLanguage } from '#shared/constants.ts';
import type { DeviceInfo } from '#shared/entities.ts';

/** This browser as a device. The account's device list shows its name. */
export function describeBrowser(): DeviceInfo {
  const system = systemName(navigator.userAgent);
  return {
    name: system === undefined ? 'Web' : `Web (${system})`,
    platform: 'web',
    arch: 'unknown',
    version: import.meta.env.VITE_APP_VERSION,
    // Some browsers that hide their identity do not say it.
    lang: navigator.language || defaultDeviceLanguage,
    timezone: timeZone(),
  };
}

/** Uses Temporal if possible: Intl first loads everything that it knows about dates, which keeps a phone busy. */
function timeZone(): string {
  return 'Temporal' in globalThis
    ? Temporal.Now.timeZoneId()
    : Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function systemName(userAgent: string): string | undefined {
  const names: [RegExp, string][] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Macintosh/, 'macOS'],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux'],
  ];
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}
