import type { Platform } from './system/ports/platform.ts';

/** The only file that asks which system this is. Each is loaded on its own system only. */
const platforms: Partial<Record<NodeJS.Platform, () => Promise<Platform>>> = {
  darwin: async () => (await import('./macos/macos-platform.ts')).macosPlatform,
  win32: async () => (await import('./windows/windows-platform.ts')).windowsPlatform,
  linux: async () => (await import('./linux/linux-platform.ts')).linuxPlatform,
};

/** Rejects on systems without an adapter. */
export async function loadPlatform(): Promise<Platform> {
  const load = platforms[process.platform];
  if (!load) throw new Error(`the helper does not run on ${process.platform} yet`);
  return await load();
}
