/** A user's connection to the helper; compared by identity. */
export interface Client {
  readonly user: string;
  readonly isAdministrator: boolean;
}

/** The clients that are currently connected to the helper. */
export interface AttachedClients {
  has(client: Client): boolean;
  some(predicate: (client: Client) => boolean): boolean;
  attach(client: Client): void;
  detach(client: Client): void;
  /** Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

export function createAttachedClients(): AttachedClients {
  const clients = new Set<Client>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    has: (client) => clients.has(client),
    some: (predicate) => [...clients].some(predicate),
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
