import path from 'node:path';

/**
 * The file of one of Windows' own programs, `sc.exe` or a path below the folder of them. By its name alone, a program
 * of that name in the current folder would be started instead (CreateProcessW, and libuv's search), whoever has put it
 * there.
 */
export const systemProgram = (name: string, env: Readonly<NodeJS.ProcessEnv> = process.env): string =>
  path.win32.join(env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', name);
