import { defaultDeviceLanguage } from '#shared/constants.ts';
import type { DeviceInfo } from '#shared/entities.ts';

/** This browser as a device. The name is what the account's device list will show. */
export function describeBrowser(): DeviceInfo {
  const system = systemName(navigator.userAgent);
  return {
    name: system === undefined ? 'Web' : `Web (${system})`,
    platform: 'web',
    arch: 'unknown',
    version: import.meta.env.VITE_APP_VERSION,
    // Some browsers that hide who they are say nothing.
    lang: navigator.language || defaultDeviceLanguage,
    timezone: timeZone(),
  };
}

/** By Temporal where there is one: Intl first loads all that it knows of dates, which keeps a phone busy. */
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
