/**
 * Runs `work` for many callers at once. Each caller is served by a run that starts after its call; all calls during a
 * run wait for the same next run, which gets all their items.
 */
export function batched<Item>(
  work: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: { items: Item[]; done: Promise<void> } | undefined;
  return (item) => {
    if (!next) {
      const items: Item[] = [];
      const done = last
        .catch(() => undefined)
        .then(() => {
          last = done;
          next = undefined;
          return work(items);
        });
      next = { items, done };
    }
    next.items.push(item);
    return next.done;
  };
}
