/** Runs one task after the other, in the order they came; each has its own outcome. */
export function createSerialQueue(): <Value>(task: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const outcome = last.then(task);
    last = outcome.catch(() => undefined);
    return outcome;
  };
}
