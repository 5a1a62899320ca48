/** Like `Promise.all`, but when it rejects, nothing is still running. */
export async function settleAll(changes: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(changes);
  await Promise.all(changes);
}
