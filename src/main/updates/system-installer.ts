/** Starts an installer on systems whose packages have no updates of their own; undefined on others. */
export async function systemInstaller(
  platform: NodeJS.Platform,
): Promise<((file: string) => Promise<boolean>) | undefined> {
  return platform === 'win32' ? (await import('./windows/start-installer.ts')).startInstaller : undefined;
}
