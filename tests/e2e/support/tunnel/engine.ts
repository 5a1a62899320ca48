import { readFile } from 'node:fs/promises';
import type { Lab } from '../../../lab/lab.ts';

/** Process ids of the engines that run on the user's machine. */
export async function enginePids(lab: Lab): Promise<number[]> {
  const pids = (await lab.internet.exec(['ip', 'netns', 'pids', lab.user.namespace])).stdout
    .split('\n')
    .filter(Boolean)
    .map(Number);
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => ['openconnect', 'waymaker-engine'].includes(names[index]?.trim() ?? ''));
}
