import type { Platform } from '#shared/entities.ts';

/** What the service, and the texts, call this system. */
export function desktopPlatform(platform: NodeJS.Platform = process.platform): Platform {
  if (platform === 'darwin') return 'macos';
  return platform === 'win32' ? 'windows' : 'linux';
}
