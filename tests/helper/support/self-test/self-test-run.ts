import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { engine, observer, unchecked } from '../../../../src/main/self-test/verdict.ts';
import { checkName } from '../../../../src/main/self-test/check-names.ts';
import { unifiedCgroups } from '../../../lab/machine/control-groups.ts';
import { eventually, exec, processStartTime, words } from '../../../lab/runs/process.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { waitFactor } from '../../../lab/runs/wait-limit.ts';

/** How to run a self-test of the command line's program in this file. */
export const selfTestArgv = (commandLine: string, ...more: string[]): string[] => [
  process.execPath,
  commandLine,
  'self-test',
  ...more,
];

/** The environment in which a self-test gets to all of its checks, however busy this machine is. */
export const withTime = (): Record<string, string> => ({
  NODE_OPTIONS: `--import=${programFile('tests/helper/support/self-test/slower-clock.ts')}`,
  SLOWER_CLOCK: String(waitFactor()),
});

const result = z.object({
  checks: z.array(
    z.object({
      name: checkName,
      engine,
      outcome: z.enum(['passed', 'failed', 'not-checked']),
      seenBy: z.array(observer),
      why: z.optional(unchecked),
      details: z.array(z.string()),
    }),
  ),
  stopped: z.optional(z.string()),
});

/** What it has printed with `--json`. */
export const checksOf = (stdout: string) => result.parse(JSON.parse(stdout)).checks;

/** What a self-test could leave outside of its own namespaces: network, named namespaces, processes and groups. */
export async function whatIsThere(): Promise<string[]> {
  const told = await Promise.all(
    ['ip -oneline address', 'ip rule', 'ip route show table all', 'nft list ruleset'].map(
      async (command) => (await exec(words(command))).stdout,
    ),
  );
  const groups = readdirSync(await unifiedCgroups()).filter((name) => {
    const [, runner] = /self-test-(\d+)/.exec(name) ?? [];
    // Others may run one at the same time.
    return name.includes('self-test') && processStartTime(Number(runner)) === undefined;
  });
  return [...told, ...groups, readFileSync('/etc/resolv.conf', 'utf8'), ...leftProcesses()];
}

/** What is there otherwise than before, or in addition: what of others is gone by now is none of a self-test's. */
export const leftSince = async (before: readonly string[]): Promise<string[]> =>
  (await whatIsThere()).filter((one) => !before.includes(one));

/** Those of self-tests that have ended. */
const leftProcesses = () => selfTestProcesses().filter((pid) => !isOfRunningOne(pid));

function isOfRunningOne(pid: string): boolean {
  for (let ancestor: string | undefined = pid; ancestor !== undefined; ancestor = parentOf(ancestor))
    if (wordsOf(ancestor).includes('self-test')) return true;
  return false;
}

/** Field 4 of proc_pid_stat(5); undefined if it has ended, or has no parent. */
function parentOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    return parent === '0' ? undefined : parent;
  } catch {
    return undefined;
  }
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function selfTestProcesses(): string[] {
  return readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && wordsOf(pid).join(' ').includes('self-test-inside'),
  );
}

/** Starts one, and sends it a signal while it works; resolves when all of its processes are gone. */
export async function endInTheMiddle(
  [file = '', ...args]: readonly string[],
  signal: NodeJS.Signals,
): Promise<{ pid: number | undefined; code: number | null }> {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let notes = '';
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  const hasTunnel = () => notes.includes('Tunnel') || undefined;
  await eventually('it has a tunnel', hasTunnel, { timeout: 60_000 });
  if (selfTestProcesses().length === 0) throw new Error('no process of it was found');
  child.kill(signal);
  const [code] = await ended;
  await eventually('all its processes are gone', () => (leftProcesses().length === 0 ? true : undefined));
  return { pid: child.pid, code };
}
