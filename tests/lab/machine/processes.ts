import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { eventually } from '../runs/process.ts';

export interface RunningProcess {
  readonly pid: number;
  /** Its program's name, at most 15 characters (proc_pid_status(5)). */
  readonly name: string;
  readonly uid: number;
}

/**
 * The processes in a network namespace, given by any process of it. Read from /proc: tests ask again and again, and to
 * start a program that tells takes a hundred times longer.
 */
export function processesBeside(member: number): RunningProcess[] {
  const namespace = read(() => readlinkSync(`/proc/${member}/ns/net`));
  if (namespace === undefined) return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!(pid > 0) || read(() => readlinkSync(`/proc/${pid}/ns/net`)) !== namespace) return [];
    const status = read(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (status === undefined) return [];
    const [, name = ''] = /^Name:\t(.*)$/m.exec(status) ?? [];
    const [, uid] = /^Uid:\t(\d+)/m.exec(status) ?? [];
    return [{ pid, name, uid: Number(uid) }];
  });
}

/** Kills the processes in a network namespace, except some, and waits until they are gone. */
export async function endProcessesBeside(member: number, except: ReadonlySet<number>): Promise<void> {
  await eventually('its other processes are gone', () => {
    const others = processesBeside(member).filter(({ pid }) => !except.has(pid));
    for (const { pid } of others) read(() => process.kill(pid, 'SIGKILL'));
    return others.length === 0 || undefined;
  });
}

/** A process may end while it is looked at. */
function read<Value>(what: () => Value): Value | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}

/** The number of an account on a machine, given by any process of it. */
export function uidOn(member: number, account: string): number {
  const lines = readFileSync(`/proc/${member}/root/etc/passwd`, 'utf8').split('\n');
  const fields = lines.map((line) => line.split(':')).find(([name]) => name === account);
  if (!fields) throw new Error(`there is no account ${account}`);
  return Number(fields[2]);
}
