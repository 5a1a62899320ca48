/** The ids of the account that one of our programs runs as. */
export interface ProgramAccount {
  uid: number;
  gid: number;
}

/**
 * Becomes that user for good; throws if that fails, or if there is a way back. In a process that root started,
 * setuid(2) sets the real, effective and saved user, and drops all capabilities (capabilities(7)).
 */
export function becomeUser({ uid, gid }: ProgramAccount): void {
  const { setgroups, setgid, setuid, setegid, seteuid } = process;
  if (!setgroups || !setgid || !setuid || !setegid || !seteuid) throw new Error('no users on this system');
  if (uid === 0 || gid === 0) throw new Error('not as root');
  setgroups([]);
  setgid(gid);
  setuid(uid);
  const own = [process.getuid?.(), process.geteuid?.()];
  const groups = [process.getgid?.(), process.getegid?.(), ...(process.getgroups?.() ?? [])];
  if (own.some((id) => id !== uid) || groups.some((id) => id !== gid)) throw new Error('still another user');
  const waysBack = [
    () => setuid(0),
    () => seteuid(0),
    () => setgid(0),
    () => setegid(0),
    () => setgroups([0]),
  ];
  if (waysBack.some(succeeds)) throw new Error('there is a way back to root');
}

function succeeds(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}
