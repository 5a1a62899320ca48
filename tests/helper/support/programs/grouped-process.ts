import { once } from 'node:events';
import type { ProcessResult } from '../../../lab/runs/process.ts';
import type { Machine } from '../../../lab/machine/machine.ts';
import { asUser } from '../callers/attach-as.ts';
import type { TestClient } from '../callers/test-client.ts';

/** A program of a user's that goes on with every line that it is given. */
export interface SteppedProcess {
  readonly pid: number;
  /** The next line that it writes, without what comes before its `=`; `say` gives it a line first. */
  next(): Promise<string>;
  say(): void;
  /** Lets it go on to its end. */
  finish(): Promise<ProcessResult>;
}

/** Starts a shell script as a user, `$1` and so on are `args`; it begins with the first line that it is given. */
export async function startAs(
  machine: Machine,
  uid: number,
  script: string,
  args: readonly string[] = [],
): Promise<SteppedProcess> {
  const shell = ['sh', '-c', `echo waiting; read -r line; ${script}`, 'sh', ...args];
  const child = machine.spawn(['setpriv', ...asUser(uid), ...shell], { stdio: ['pipe', 'pipe', 'pipe'] });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr || child.pid === undefined) throw new Error('the program was not started');
  const lines: string[] = [];
  let errors = '';
  let rest = '';
  const awaitLine = () => {
    const waiting = Promise.withResolvers<void>();
    // Nobody may be waiting when it ends.
    waiting.promise.catch(() => undefined);
    return waiting;
  };
  let arrived = awaitLine();
  stdout.on('data', (chunk: Buffer) => {
    const [last = '', ...whole] = (rest + chunk.toString()).split('\n').toReversed();
    rest = last;
    lines.push(...whole.toReversed());
    arrived.resolve();
    arrived = awaitLine();
  });
  stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  // One that has ended by itself is told nothing more; what became of it is in its code.
  stdin.on('error', () => undefined);
  const closed = once(child, 'close').then(([code]) => {
    arrived.reject(new Error(`it has ended: ${errors}`));
    return code as number | null;
  });
  const next = async () => {
    while (lines.length === 0) await arrived.promise;
    return lines.shift() ?? '';
  };
  await next();
  return {
    pid: child.pid,
    next,
    say: () => void stdin.write('\n'),
    async finish() {
      stdin.end('\n');
      return { code: await closed, stdout: [...lines, rest].join('\n'), stderr: errors };
    },
  };
}

/** Runs a script of a user's in the user's group, to its end. */
export async function runInGroup(
  machine: Machine,
  { uid, client }: { uid: number; client: TestClient },
  script: string,
  args: readonly string[] = [],
): Promise<ProcessResult> {
  const program = await startAs(machine, uid, script, args);
  await client.call('moveProcess', { pid: program.pid, into: 'group' });
  return await program.finish();
}
