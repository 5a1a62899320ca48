import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programFile } from '../../../lab/runs/programs.ts';
import { leftFile, momentsFile } from './death-files.ts';

/** When a helper is killed: at the how manieth of the moments of its changes. */
export interface DeathPlan {
  /** The command under which a helper keeps to it. */
  readonly under: string[];
  /** Counts from now on; 0: it is not killed. */
  set(moment: number): Promise<void>;
  /** The moments since then, such as `before journal is written`. */
  moments(): Promise<string[]>;
}

/** Those of the journal, or those of all that the helper changes. */
export type Moments = 'journal' | 'all';

/** `inside`: a directory for its files. */
export async function planDeaths(inside: string, moments: Moments): Promise<DeathPlan> {
  const directory = path.join(inside, 'death-plan');
  await mkdir(directory);
  const preload = programFile('tests/helper/support/deaths/dies-at-change.ts');
  const plan: DeathPlan = {
    under: ['env', `NODE_OPTIONS=--import=${preload}`, `DEATH_PLAN=${directory}`, `DEATH_MOMENTS=${moments}`],
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
