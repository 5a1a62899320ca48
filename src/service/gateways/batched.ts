/**
 * Does `work` for many callers at once: each is served by a run that begins after its call, and while one runs, all
 * who call wait for the same next one, which gets what all of them brought.
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
