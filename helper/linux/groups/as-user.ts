import koffi from 'koffi';

/** Not a valid id: setfsuid(2) changes nothing then, and returns the current one. */
const unchanged = 0xffffffff;

type SetId = (id: number) => number;
let loaded: Record<'user' | 'group', SetId> | undefined;

/**
 * Runs a function that inspects files with only a user's file rights (setfsuid(2)): the kernel shows it those parts of
 * processes that the user may see. The function must be synchronous, because the rights belong to the thread.
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
