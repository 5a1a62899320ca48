import type { ChildProcess } from 'node:child_process';
import type { Machine } from '../../../lab/machine/machine.ts';
import { eventually } from '../../../lab/runs/process.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { selfTestArgv } from './self-test-run.ts';

/** `waymaker self-test --serve` on a machine, and the code that it shows. */
export interface Serving {
  readonly process: ChildProcess;
  readonly code: string;
  /** What it has told people so far. */
  notes(): string;
}

export async function startServing(machine: Machine): Promise<Serving> {
  const child = machine.spawn(selfTestArgv(programFile('src/main/cli/index.ts'), '--serve', '--json'), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [shown, notes] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  const code = await eventually('it shows a code', () => /"code":"([\w-]+)"/.exec(shown)?.[1]);
  return { process: child, code, notes: () => notes };
}
