import { readdir, readFile } from 'node:fs/promises';
import { tunnelDevice } from '../../../../helper/linux/identifiers.ts';
import type { Lab } from '../../../lab/lab.ts';

/**
 * Process ids of the engines on the user's machine that have the tunnel's device; another may hold a connection ready.
 */
export async function enginePids(lab: Lab): Promise<number[]> {
  const pids = (await lab.internet.exec(['ip', 'netns', 'pids', lab.user.namespace])).stdout
    .split('\n')
    .filter(Boolean)
    .map(Number);
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  const engines = pids.filter((_, index) =>
    ['openconnect', 'waymaker-engine'].includes(names[index]?.trim() ?? ''),
  );
  const haveDevice = await Promise.all(engines.map(hasDevice));
  return engines.filter((_, index) => haveDevice[index]);
}

/** By what the kernel tells of its open files (Linux, drivers/net/tun.c, tun_chr_show_fdinfo). */
async function hasDevice(pid: number): Promise<boolean> {
  const directory = `/proc/${pid}/fdinfo`;
  const files = await readdir(directory).catch(() => []);
  const told = await Promise.all(
    files.map((file) => readFile(`${directory}/${file}`, 'utf8').catch(() => '')),
  );
  return told.some((text) => new RegExp(`^iff:\\s*${tunnelDevice}$`, 'm').test(text));
}
