import koffi from 'koffi';

/** Not an id: setfsuid(2) changes nothing then, and says what it is. */
const unchanged = 0xffffffff;

type SetId = (id: number) => number;
let loaded: Record<'user' | 'group', SetId> | undefined;

/**
 * Runs what looks at files with a user's rights to them and no more (setfsuid(2)): the kernel lets it see of processes
 * what that user may see. Only for what does not wait: these rights are the thread's.
 */
export function asUser<Result>({ uid, gid }: { uid: number; gid: number }, look: () => Result): Result {
  const libc = (loaded ??= load());
  const [ownGroup, ownUser] = [libc.group(gid), libc.user(uid)];
  try {
    if (libc.user(unchanged) !== uid || libc.group(unchanged) !== gid)
      throw new Error(`nothing can be looked at as uid ${uid}`);
    return look();
  } finally {
    libc.user(ownUser);
    libc.group(ownGroup);
  }
}

function load() {
  const library = koffi.load(null);
  return {
    user: library.func('int setfsuid(uint32_t)') as SetId,
    group: library.func('int setfsgid(uint32_t)') as SetId,
  };
}
