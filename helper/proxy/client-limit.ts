import type { Socket } from 'node:net';

/** Decides who may be a client when there are as many as allowed. */
export interface ClientLimit {
  /**
   * Whether this client is accepted. It replaces the client that has waited longest without a request: otherwise a
   * program that opens connections and sends nothing would keep everybody out.
   */
  admit(client: Socket): boolean;
  /** This client has sent its request, and keeps its place. */
  requestRead(client: Socket): void;
}

export function createClientLimit(max: number): ClientLimit {
  const clients = new Set<Socket>();
  /** Clients without a request, oldest first. */
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
