import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasErrorCode } from '#node/os/error-code.ts';
import { isRunning } from '../is-running.ts';

/** The name of a self-test's own control groups: the rest is the number of the process that runs it. */
const groupPrefix = 'waymaker-self-test-';

function groupsFolder(): string | undefined {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' ')[4] ?? '')
    .find((folder) => folder !== '');
}

const groupsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
};

export const ownGroup = (): string => `${groupPrefix}${process.pid}`;

/** Removes those of self-tests that have ended. */
export function removeLeftGroups(): void {
  const folder = groupsFolder();
  if (folder === undefined) return;
  for (const name of groupsIn(folder).filter((one) => one.startsWith(groupPrefix))) {
    if (!isRunning(Number(name.slice(groupPrefix.length)))) removeTree(path.join(folder, name));
  }
}

/** Deepest first; false if there are still processes in one. */
function removeTree(group: string): boolean {
  const isEmpty = groupsIn(group).map((name) => removeTree(path.join(group, name)));
  if (isEmpty.includes(false)) return false;
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return hasErrorCode(error, 'ENOENT');
  }
}

/** Processes that were killed leave their groups a moment later. */
export async function removeGroups(name: string): Promise<void> {
  const folder = groupsFolder();
  if (folder === undefined) return;
  for (let tries = 0; tries < 40 && !removeTree(path.join(folder, name)); tries += 1) await delay(50);
}
