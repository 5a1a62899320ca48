import path from 'node:path';
import { systemProgram } from './windows/system-program.ts';

/** The file by which one of the system's own programs is started, which is found on the PATH elsewhere than on Windows. */
export const programFile = (name: string, platform: NodeJS.Platform = process.platform): string =>
  platform === 'win32' && !path.win32.isAbsolute(name) ? systemProgram(name) : name;
