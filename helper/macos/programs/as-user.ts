/** What `work` returns, which must be done when it does: meanwhile this whole process has that effective user. */
export function asUser<Result>(uid: number, work: () => Result): Result {
  const { seteuid } = process;
  if (!seteuid) throw new Error('no users on this system');
  seteuid(uid);
  try {
    return work();
  } finally {
    seteuid(0);
  }
}
