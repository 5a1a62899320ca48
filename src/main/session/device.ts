import { hostname } from 'node:os';
import { desktopPlatform } from '#node/os/desktop-platform.ts';
import { defaultDeviceLanguage } from '#shared/constants.ts';
import type { DeviceInfo } from '#shared/entities.ts';
import type { Settings } from '../preferences/settings.ts';

/** This device's id: created once, and kept over sign-outs. */
export function readDeviceId(settings: Settings): string {
  const stored = settings.get('deviceId');
  if (stored !== undefined) return stored;
  const deviceId = crypto.randomUUID();
  settings.set('deviceId', deviceId);
  return deviceId;
}

/** `lang` is the system's BCP 47 tag, or empty if it is not known. */
export function describeDevice(app: { version: string; lang: string }): DeviceInfo {
  return {
    name: hostname(),
    platform: desktopPlatform(),
    arch: process.arch,
    version: app.version,
    lang: app.lang || defaultDeviceLanguage,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
