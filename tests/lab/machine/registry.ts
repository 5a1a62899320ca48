import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exec, processStartTime } from '../runs/process.ts';
import { removeNamespace } from './machine.ts';

/** A laboratory's directory is below this one, named by its id, and records who created it. */
export const labsRoot = path.join(tmpdir(), 'waymaker-lab');

/** The last letter of each machine's namespace, after `wm` and the laboratory's id. */
export const machineNames = { user: 'u', internet: 'i', gateway: 'g', container: 'c' } as const;

export interface Owner {
  readonly pid: number;
  readonly startTime: string | undefined;
}

const ownerFile = 'owner.json';

export async function recordOwner(directory: string): Promise<void> {
  const owner: Owner = { pid: process.pid, startTime: processStartTime(process.pid) };
  await writeFile(path.join(directory, ownerFile), JSON.stringify(owner));
}

/** In a run that removes kept laboratories at its end: its process, whose pid this variable has. */
export const keeperVariable = 'WAYMAKER_KEEP_LABS';

/** Its pid, in the directory of a laboratory that stays until a run ends: that of the run's process. */
export const keeperFile = 'keeper';

/** Removes the laboratories that were kept for a run. */
export async function removeKeptLabs(keeper: string): Promise<void> {
  await mkdir(labsRoot, { recursive: true });
  for (const id of await readdir(labsRoot)) {
    const kept = await readFile(path.join(labsRoot, id, keeperFile), 'utf8').catch(() => undefined);
    if (kept === keeper) await removeLab(id);
  }
}

/** Removes laboratories whose creators ended without removing them. */
export async function sweepAbandonedLabs(): Promise<void> {
  await mkdir(labsRoot, { recursive: true });
  for (const id of await readdir(labsRoot)) {
    if (await isAbandoned(path.join(labsRoot, id))) await removeLab(id);
  }
}

async function isAbandoned(directory: string): Promise<boolean> {
  const owner = await readOwner(directory);
  return owner !== undefined && processStartTime(owner.pid) !== owner.startTime;
}

/** Who created a laboratory; undefined if it is being created or removed right now. */
async function readOwner(directory: string): Promise<Owner | undefined> {
  const text = await readFile(path.join(directory, ownerFile), 'utf8').catch(() => '');
  return text === '' ? undefined : (JSON.parse(text) as Owner);
}

/** Ends every process of a laboratory and removes its namespaces and files. */
export async function removeLab(id: string): Promise<void> {
  const { stdout } = await exec(['ip', 'netns', 'list']);
  const namespaces = stdout
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => Object.values(machineNames).some((letter) => name === `wm${id}${letter}`));
  await Promise.all(namespaces.map(removeNamespace));
  await rm(path.join(labsRoot, id), { recursive: true, force: true });
}
