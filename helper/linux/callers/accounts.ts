import { readFileSync } from 'node:fs';
import { runCommand } from '../../posix/command.ts';

type Database = 'passwd' | 'group';

/** The ids of a user account. */
export interface Account {
  uid: number;
  gid: number;
}

/** The unprivileged users. They are looked up until they are found, because they may be installed later. */
export interface Accounts {
  engine(): Promise<Account | undefined>;
  proxy(): Promise<Account | undefined>;
  /** What has been found so far. */
  readonly known: { engine: Account | undefined; proxy: Account | undefined };
}

export function createAccounts(names: { engine: string; proxy: string }): Accounts {
  const known: Accounts['known'] = { engine: undefined, proxy: undefined };
  let search: Promise<void> | undefined;

  /** One program for both, since starting one takes longer than what it does, and every start of the helper waits. */
  async function searchBoth(): Promise<void> {
    const found = await findUsers([names.engine, names.proxy]);
    known.engine ??= found.get(names.engine);
    known.proxy ??= found.get(names.proxy);
  }
  async function find(which: keyof typeof known): Promise<Account | undefined> {
    if (!known[which]) await (search ??= searchBoth().finally(() => (search = undefined)));
    return known[which];
  }
  return { known, engine: () => find('engine'), proxy: () => find('proxy') };
}

/** Those of these accounts that exist, by name. */
async function findUsers(names: readonly string[]): Promise<Map<string, Account>> {
  const lines = await lookUp('passwd', names);
  return new Map(
    lines.flatMap(([name = '', , uid, gid]) => {
      const account = { uid: Number(uid), gid: Number(gid) };
      return Number.isInteger(account.uid) && Number.isInteger(account.gid) ? [[name, account]] : [];
    }),
  );
}

/** The gid of the group with that name, or undefined. */
export async function findGroup(name: string): Promise<number | undefined> {
  const [fields] = await lookUp('group', [name]);
  return fields?.[2] === undefined ? undefined : Number(fields[2]);
}

/**
 * The fields of what exists. The system's own file has what packages create, and every start of the helper waits for
 * it; for the rest, getent(1) knows every source in nsswitch.conf. Its status tells only whether all keys exist.
 */
async function lookUp(database: Database, keys: readonly string[]): Promise<string[][]> {
  const written = isFileFirst(database) ? linesOf(read(`/etc/${database}`)).filter(hasNumbers[database]) : [];
  const found = keys.flatMap((key) => written.filter(([name]) => name === key).slice(0, 1));
  const others = keys.filter((key) => !found.some(([name]) => name === key));
  if (others.length === 0) return found;
  const { stdout } = await runCommand('getent', [database, ...others]);
  return [...found, ...linesOf(stdout)];
}

/** Whether nsswitch.conf(5) says that nothing else is asked before it. */
function isFileFirst(database: Database): boolean {
  const sources = new RegExp(`^${database}:[ \\t]*(\\S+)`, 'm').exec(read('/etc/nsswitch.conf'));
  return sources?.[1] === 'files';
}

/** Whether a line is one of an account (passwd(5)) or a group (group(5)), and not what administrators add besides. */
const hasNumbers: Record<Database, (fields: string[]) => boolean> = {
  passwd: ([, , uid = '', gid = '']) => /^\d+$/.test(uid) && /^\d+$/.test(gid),
  group: ([, , gid = '']) => /^\d+$/.test(gid),
};

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(':'));

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
