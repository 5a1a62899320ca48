const listeners = new Set<() => void>();

/** The service has answered a call, with any result. */
export function noteAnswer(): void {
  for (const listener of listeners) listener();
}

/** Returns a function that ends the subscription. */
export function onAnswer(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
