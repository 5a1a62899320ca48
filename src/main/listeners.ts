/** A set of listeners for one kind of event. */
export interface Listeners<Payload> {
  add(listener: (payload: Payload) => void): void;
  emit(payload: Payload): void;
}

export function createListeners<Payload>(): Listeners<Payload> {
  const all = new Set<(payload: Payload) => void>();
  return {
    add: (listener) => void all.add(listener),
    emit(payload) {
      for (const listener of all) listener(payload);
    },
  };
}
