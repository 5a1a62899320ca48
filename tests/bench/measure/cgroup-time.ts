import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../lab/runs/process.ts';

/** A control group of its own, whose processes' time on processors is counted, those that ended included. */
export interface TimedGroup extends AsyncDisposable {
  /** Runs in it what follows these words. */
  readonly under: string[];
  /** Milliseconds that its processes have run so far (cgroup-v2.rst, cpu.stat). */
  processorTime(): Promise<number>;
}

export async function createTimedGroup(): Promise<TimedGroup> {
  const root = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((directory) =>
    existsSync(path.join(directory, 'cgroup.procs')),
  );
  if (root === undefined) throw new Error('there is no cgroup v2');
  const directory = path.join(root, `waymaker-bench-${randomBytes(3).toString('hex')}`);
  await mkdir(directory);
  return {
    under: ['sh', '-c', `echo $$ > ${directory}/cgroup.procs && exec "$@"`, 'sh'],
    async processorTime() {
      const used = /^usage_usec (\d+)$/m.exec(await readFile(path.join(directory, 'cpu.stat'), 'utf8'));
      return Number(used?.[1]) / 1000;
    },
    async [Symbol.asyncDispose]() {
      await eventually(
        'its processes are gone',
        async () =>
          await rmdir(directory).then(
            () => true,
            () => undefined,
          ),
      );
    },
  };
}
