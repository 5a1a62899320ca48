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
  const find = async (which: keyof typeof known) => (known[which] ??= await findUser(names[which]));
  return { known, engine: () => find('engine'), proxy: () => find('proxy') };
}

/** The account with that name, or undefined. Uses getent(1), which knows every source in nsswitch.conf. */
async function findUser(name: string): Promise<Account | undefined> {
  const fields = await lookUp('passwd', name);
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

/** The gid of the group with that name, or undefined. */
export async function findGroup(name: string): Promise<number | undefined> {
  const gid = Number((await lookUp('group', name))?.[2]);
  return Number.isInteger(gid) ? gid : undefined;
}

async function lookUp(database: 'passwd' | 'group', name: string): Promise<string[] | undefined> {
  const { status, stdout } = await runCommand('getent', [database, name]);
  return status === 0 ? stdout.trim().split(':') : undefined;
}
