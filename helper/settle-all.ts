/** Like `Promise.all`, but nothing is still running when it rejects. */
export async function settleAll(changes: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(changes);
  await Promise.all(changes);
}
