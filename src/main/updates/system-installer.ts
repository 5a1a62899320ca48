import type { UpdateInstaller } from './update-installer.ts';

/** Installs downloads on systems whose packages have no updates of their own; undefined on others. */
export async function systemInstaller(
  platform: NodeJS.Platform,
  env: Readonly<NodeJS.ProcessEnv>,
  program: string = process.execPath,
): Promise<UpdateInstaller | undefined> {
  if (platform === 'win32') return (await import('./windows/start-installer.ts')).windowsInstaller;
  if (platform === 'darwin') return (await import('./macos/open-package.ts')).macosInstaller();
  // The runtime of AppImages sets it: https://docs.appimage.org/packaging-guide/environment-variables.html
  const { APPIMAGE: file, APPDIR: folder } = env;
  // They may also be those of another program, which has started this one.
  if (platform !== 'linux' || !file || !folder || !program.startsWith(`${folder}/`)) return undefined;
  return (await import('./linux/replace-app-image.ts')).appImageInstaller(file);
}
