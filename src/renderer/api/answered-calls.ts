const listeners = new Set<() => void>();

/** The service has answered a call, whatever it said. */
export function noteAnswer(): void {
  for (const listener of listeners) listener();
}

/** Returns a function that ends it. */
export function onAnswer(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
