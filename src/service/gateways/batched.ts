/**
 * Does `work` for many callers at once: each is served by a run that begins after its call, and while one runs, all
 * who call wait for the same next one.
 */
export function batched(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last
      .catch(() => undefined)
      .then(() => {
        last = next ?? last;
        next = undefined;
        return work();
      });
    return next;
  };
}
