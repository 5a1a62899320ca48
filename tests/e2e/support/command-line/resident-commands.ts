import { once } from 'node:events';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Lab } from '../../../lab/lab.ts';
import type { ProcessResult } from '../../../lab/runs/process.ts';

/** A command for the process that runs them. */
export interface CommandOrder {
  words: readonly string[];
  /** The whole environment. */
  env: NodeJS.ProcessEnv;
}

/** How a command ended, and what it wrote. */
export type CommandOutcome = ProcessResult;

/** Runs commands without input, one after the other. */
export type RunResident = (order: CommandOrder) => Promise<CommandOutcome>;

const program = path.join(import.meta.dirname, 'resident-process.ts');
const residents = new WeakMap<Lab, RunResident>();

/**
 * Runs the built command line on a laboratory's user machine in one process for all commands, since a start of Node
 * with its packages costs more than what most commands do. It ends with the worker, or with the laboratory.
 */
export function residentCommands(lab: Lab, commandLine: string): RunResident {
  const known = residents.get(lab);
  if (known) return known;
  const enqueue = createSerialQueue();
  let child: ChildProcess | undefined;

  async function run(order: CommandOrder): Promise<CommandOutcome> {
    child ??= lab.user.spawn([process.execPath, program, commandLine], {
      env: order.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      if (!child.connected) throw new Error('the process that runs commands ended after one');
      child.send(order);
      return await Promise.race([
        once(child, 'message', { signal }).then(([outcome]) => outcome as CommandOutcome),
        once(child, 'exit', { signal }).then(([code]) =>
          Promise.reject(new Error(`the process that runs commands ended with ${String(code)}`)),
        ),
      ]);
    } finally {
      waiting.abort();
    }
  }

  const resident: RunResident = (order) => enqueue(() => run(order));
  residents.set(lab, resident);
  return resident;
}
