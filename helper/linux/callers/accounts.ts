import { runCommand } from '../../posix/command.ts';

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

/** Those of these accounts that exist, by name. Uses getent(1), which knows every source in nsswitch.conf. */
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

/** The fields of what exists; its status tells only whether all of them do. */
async function lookUp(database: 'passwd' | 'group', keys: readonly string[]): Promise<string[][]> {
  const { stdout } = await runCommand('getent', [database, ...keys]);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(':'));
}
