/** Does a task that never rejects again and again, one at a time; returns a function that ends it and waits. */
export function repeat(everyMilliseconds: number, task: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(task);
  }, everyMilliseconds);
  return () => {
    clearInterval(timer);
    return last;
  };
}
