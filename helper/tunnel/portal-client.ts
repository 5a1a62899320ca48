import type { Log } from '../log.ts';
import type { OpenPortal, SystemAdapter } from '../system/system-adapter.ts';
import type { AttachedClients, Client } from './attached-clients.ts';

/** One client's access to a captive portal, which ends with that client's connection to the helper. */
export interface PortalClient {
  /** Whether access may be open. */
  readonly mayBeOpen: boolean;
  /** Undefined if it is not needed by then. */
  open(client: Client, forMs: number, isNeeded: () => boolean): Promise<OpenPortal | undefined>;
  /** Never rejects. */
  shut(): Promise<void>;
}

export function createPortalClient(
  adapter: Pick<SystemAdapter, 'openPortal' | 'closePortal'>,
  clients: AttachedClients,
  log: Log,
): PortalClient {
  let current: Client | undefined;
  const shut = (): Promise<void> => {
    current = undefined;
    return adapter
      .closePortal()
      .catch((error: unknown) => log.error('the way to the portal could not be closed', error));
  };
  clients.onChange(() => {
    if (current && !clients.has(current)) void shut();
  });
  return {
    get mayBeOpen() {
      return current !== undefined;
    },
    open(client, forMs, isNeeded) {
      const isWanted = () => {
        const isStillNeeded = clients.has(client) && isNeeded();
        if (isStillNeeded) current = client;
        return isStillNeeded;
      };
      return adapter.openPortal({ client: client.user, forMs, isWanted });
    },
    shut,
  };
}
