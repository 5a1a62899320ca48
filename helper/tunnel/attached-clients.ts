/** The clients that are attached to the helper at present, by an identity of their connection. */
export interface AttachedClients {
  has(client: object): boolean;
  isEmpty(): boolean;
  attach(client: object): void;
  detach(client: object): void;
  /** Returns what ends the subscription. */
  onChange(listener: () => void): () => void;
}

export function createAttachedClients(): AttachedClients {
  const clients = new Set<object>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    has: (client) => clients.has(client),
    isEmpty: () => clients.size === 0,
    attach(client) {
      clients.add(client);
      changed();
    },
    detach(client) {
      if (clients.delete(client)) changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
