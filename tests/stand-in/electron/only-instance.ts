import { mkdirSync, readFileSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const lockOf = (userData: string) => path.join(userData, 'stand-in-instance');

/** Whether a process that lives uses `userData`. */
export function hasInstance(userData: string): boolean {
  try {
    return isAlive(Number(readFileSync(lockOf(userData), 'utf8')));
  } catch {
    return false;
  }
}

/** Where further instances leave their arguments for the one that uses `userData`. */
export const mailOf = (userData: string): string => path.join(userData, 'stand-in-second-instances');

/**
 * Makes this process the one instance that uses `userData`. Undefined if there is one already; that one is
 * told this process's arguments and folder.
 */
export function becomeOnlyInstance(
  userData: string,
  onSecond: (argv: string[], folder: string) => void,
): { release(): void } | undefined {
  const lock = lockOf(userData);
  const mail = mailOf(userData);
  mkdirSync(mail, { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      if (isAlive(Number(readFileSync(lock, 'utf8')))) {
        const letter = JSON.stringify({ argv: process.argv, folder: process.cwd() });
        // In their order, however late they are read.
        const name = `${String(process.hrtime.bigint()).padStart(20, '0')}-${process.pid}.json`;
        writeFileSync(path.join(mail, name), letter);
        return undefined;
      }
      // What a killed process left behind.
      rmSync(lock, { force: true });
    }
  }
  const readMail = () => {
    for (const name of readdirSync(mail).toSorted()) {
      const file = path.join(mail, name);
      const text = readFileSync(file, 'utf8');
      if (text === '') continue;
      rmSync(file);
      const { argv, folder } = JSON.parse(text) as { argv: string[]; folder: string };
      onSecond(argv, folder);
    }
  };
  const watcher = watch(mail, readMail);
  watcher.unref();
  return {
    release() {
      watcher.close();
      rmSync(lock, { force: true });
    },
  };
}
