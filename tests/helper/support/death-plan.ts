import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HelperLab } from './helper-lab.ts';

export const leftFile = 'left';
export const momentsFile = 'moments';

/** When a laboratory's helper is killed: at the how manieth of the moments at which its journal changes. */
export interface DeathPlan {
  /** The command under which a helper keeps to it. */
  readonly under: string[];
  /** Counts from now on; 0: it is not killed. */
  set(moment: number): Promise<void>;
  /** The moments since then, such as `before journal is written`. */
  moments(): Promise<string[]>;
}

export async function planDeaths(net: HelperLab): Promise<DeathPlan> {
  const directory = path.join(net.lab.directory, 'death-plan');
  await mkdir(directory);
  const preload = path.join(import.meta.dirname, 'dies-at-journal.ts');
  const plan: DeathPlan = {
    under: ['env', `NODE_OPTIONS=--import=${preload}`, `DEATH_PLAN=${directory}`],
    async set(moment) {
      await writeFile(path.join(directory, momentsFile), '');
      await writeFile(path.join(directory, leftFile), String(moment));
    },
    moments: async () =>
      (await readFile(path.join(directory, momentsFile), 'utf8')).split('\n').filter(Boolean),
  };
  await plan.set(0);
  return plan;
}
