import type { Socket } from 'node:net';

/** Who may be a client while there are as many as there may be at a time. */
export interface ClientLimit {
  /**
   * Whether this one may. It takes the place of the client that has waited longest without saying what it wants: a
   * program that opens connections and says nothing would keep everybody out.
   */
  admit(client: Socket): boolean;
  /** This one has said what it wants, and keeps its place. */
  requestRead(client: Socket): void;
}

export function createClientLimit(max: number): ClientLimit {
  const clients = new Set<Socket>();
  /** Those that have not said what they want, in the order in which they came. */
  const silent = new Set<Socket>();
  const remove = (client: Socket) => {
    clients.delete(client);
    silent.delete(client);
  };
  return {
    admit(client) {
      if (clients.size >= max) {
        const [longest] = silent;
        if (!longest) return false;
        remove(longest);
        longest.destroy();
      }
      clients.add(client);
      silent.add(client);
      client.once('close', () => remove(client));
      return true;
    },
    requestRead: (client) => void silent.delete(client),
  };
}
