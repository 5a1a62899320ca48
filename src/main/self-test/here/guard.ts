import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { SelfTestHere } from '../self-test.ts';
import { innerWords } from '../inner-words.ts';
import { isRunning } from '../is-running.ts';

/** What has to be undone if the self-test ends before it could do so itself. */
export const guardTask = z.object({
  folder: z.string(),
  /** The helper's program, and its arguments for undoing what its journal has. */
  restore: z.array(z.string()),
  uplink: z.object({
    device: z.string(),
    address: z.string(),
    hardware: z.string(),
    router: z.optional(z.string()),
    hasIpv6: z.boolean(),
    hasIpv6Outside: z.boolean(),
  }),
  routes: z.array(z.object({ prefix: z.string(), via: z.string() })),
  /** That the uplink may have been given. */
  addresses: z.array(z.string()),
});
export type GuardTask = z.infer<typeof guardTask>;

const said = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('started'), pid: z.int() }),
  z.object({ kind: z.literal('done') }),
]);

/** A process that outlives the self-test, and tidies up if that does not. */
export interface Guard {
  /** Has a process end, too. */
  knows(pid: number): void;
  /** Nothing is left to do. */
  release(): void;
}

export function startGuard(task: GuardTask): Guard {
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? '', innerWords.guard, JSON.stringify(task)],
    // A Ctrl-C, and the end of a terminal, are not for it.
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true },
  );
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  const tell = (what: z.infer<typeof said>) => void child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    knows: (pid) => tell({ kind: 'started', pid }),
    release() {
      tell({ kind: 'done' });
      child.stdin.end();
    },
  };
}

const endsMs = 5_000;
const lookMs = 50;

/** The guard itself, told as JSON what to undo: waits for the end of its standard input. */
export async function runGuard(given: string, here: SelfTestHere): Promise<void> {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const task = guardTask.parse(JSON.parse(given));
  const pids: number[] = [];
  let isDone = false;
  for await (const line of createInterface({ input: process.stdin })) {
    const told = said.parse(JSON.parse(line));
    if (told.kind === 'done') isDone = true;
    else pids.push(told.pid);
  }
  if (isDone) return;
  // The core first: it puts back what it has set itself, and connects no more.
  for (const pid of pids) await endProcess(pid);
  undo(task, here);
  await here.tidy();
}

async function endProcess(pid: number): Promise<void> {
  const send = (signal: 'SIGTERM' | 'SIGKILL') => {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  };
  send('SIGTERM');
  for (let waited = 0; waited < endsMs && isRunning(pid); waited += lookMs) await delay(lookMs);
  send('SIGKILL');
}

/** Puts this computer's network back, as far as a self-test may have changed it; again does no harm. */
export function undo(task: GuardTask, here: SelfTestHere): { isRestored: boolean; output: string } {
  const computer = here.computer({ ...task.uplink, router: task.uplink.router });
  const attempt = (action: () => void) => {
    try {
      action();
    } catch {
      // It is not there any more.
    }
  };
  for (const route of task.routes) attempt(() => computer.changeRoutes('delete', [route]));
  for (const address of task.addresses) attempt(() => computer.changeAddresses('delete', [address]));
  const { status, stderr } = spawnSync(process.execPath, task.restore, { encoding: 'utf8' });
  if (status === 0) rmSync(task.folder, { recursive: true, force: true });
  return { isRestored: status === 0, output: stderr };
}
