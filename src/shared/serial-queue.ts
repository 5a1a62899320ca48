/** Runs tasks one after the other in the order in which they were added; each has its own result. */
export function createSerialQueue(): <Value>(task: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const outcome = last.then(task);
    last = outcome.catch(() => undefined);
    return outcome;
  };
}
