import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { processorGroup } from '../tally/processor-group.ts';
import type { Check } from './checks.ts';

/** How one command ended. */
export interface Outcome {
  succeeded: boolean;
  /** What it used of the processors, in milliseconds, daemons included; undefined where nothing can count. */
  processorTime: number | undefined;
  /** What it printed; empty if that was shown as it came. */
  output: string;
}

/** Runs a command to its end, in a control group inside `parent` if there is one. */
export async function runCommand(
  { name, command: [file = '', ...args], live = false }: Check & { live?: boolean },
  surroundings: { root: string; environment: NodeJS.ProcessEnv; parent: string | undefined },
): Promise<Outcome> {
  const { root, environment, parent } = surroundings;
  if (live) console.log(`\n── ${name}`);
  const group = parent === undefined ? undefined : processorGroup(name.replaceAll(/\W+/g, '-'), parent);
  const child = spawn(file, args, {
    cwd: root,
    stdio: live ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      WAYMAKER_RUNNER: name,
      ...(group && { WAYMAKER_PROCESSOR_GROUP: group.directory }),
    },
  });
  if (child.pid !== undefined) group?.add(child.pid);
  const output = collectOutput(child);
  child.on('error', (error) => console.error(error.message));
  const [code] = (await once(child, 'close')) as [number | null];
  if (!live) console.log(`\n── ${name}\n${output()}`);
  return { succeeded: code === 0, processorTime: group?.milliseconds(), output: output() };
}

function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
