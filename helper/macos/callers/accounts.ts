import type { ProgramAccount } from '../../posix/become-user.ts';
import type { RunCommand } from '../../posix/command.ts';

/** The unprivileged users. They are looked up until they are found, because they may be made later. */
export interface Accounts {
  engine(): Promise<ProgramAccount | undefined>;
  proxy(): Promise<ProgramAccount | undefined>;
  /** What has been found so far. */
  readonly known: { engine: ProgramAccount | undefined; proxy: ProgramAccount | undefined };
}

export function createAccounts(run: RunCommand, names: { engine: string; proxy: string }): Accounts {
  const known: Accounts['known'] = { engine: undefined, proxy: undefined };
  const find = async (which: keyof typeof known) => (known[which] ??= await findAccount(run, names[which]));
  return { known, engine: () => find('engine'), proxy: () => find('proxy') };
}

/** By id(1), which knows directory services, too. */
async function findAccount(run: RunCommand, name: string): Promise<ProgramAccount | undefined> {
  const [uid, gid] = await Promise.all([number(run, 'id', ['-u', name]), number(run, 'id', ['-g', name])]);
  // Never root, whatever it is called.
  return uid !== undefined && gid !== undefined && uid > 0 && gid > 0 ? { uid, gid } : undefined;
}

/** The gid of a group; undefined if there is none of that name. */
export async function findGroup(run: RunCommand, name: string): Promise<number | undefined> {
  const { status, stdout } = await run('dscl', ['.', '-read', `/Groups/${name}`, 'PrimaryGroupID']);
  const text = /^PrimaryGroupID: (\d{1,10})$/m.exec(stdout)?.[1];
  return status === 0 && text !== undefined ? Number(text) : undefined;
}

async function number(run: RunCommand, program: string, args: string[]): Promise<number | undefined> {
  const { status, stdout } = await run(program, args);
  return status === 0 && /^\d{1,10}$/.test(stdout.trim()) ? Number(stdout) : undefined;
}
