import { keptServers, type HostImplementation, type KeptServers } from '#shared/host/contract.ts';
import { withFavourite, withRecent } from '#shared/servers/kept-servers.ts';
import { storageKeys } from './storage-keys.ts';

const none: KeptServers = { favourites: [], recents: [] };

export interface KeptServersStore {
  host: Pick<HostImplementation['servers'], 'kept' | 'setFavourite'>;
  connectedTo(id: string): void;
  /** They belonged to another account. */
  forget(): void;
}

/** Favourite and recent servers of a host inside the page, in its storage, which is cleared at sign-out. */
export function createKeptServers(
  storage: Pick<HostImplementation['storage'], 'get' | 'set'>,
  onChange: (now: KeptServers) => void,
): KeptServersStore {
  let current: KeptServers | undefined;

  async function load(): Promise<KeptServers> {
    const stored = current ?? readKept(await storage.get(storageKeys.keptServers));
    // It may have been read, changed or deleted meanwhile.
    current ??= stored;
    return current;
  }

  /** False if it could not be stored; then it lasts as long as the page. */
  async function change(
    name: keyof KeptServers,
    next: (now: readonly string[]) => readonly string[],
  ): Promise<boolean> {
    const now = current ?? (await load());
    const changed = next(now[name]);
    if (changed === now[name]) return true;
    current = { ...now, [name]: [...changed] };
    onChange(current);
    return await storage.set({ key: storageKeys.keptServers, value: JSON.stringify(current) });
  }

  return {
    host: {
      kept: load,
      setFavourite: ({ serverId, isFavourite }) =>
        change('favourites', (favourites) => withFavourite(favourites, serverId, isFavourite)),
    },
    connectedTo: (id) => void change('recents', (recents) => withRecent(recents, id)),
    forget() {
      current = none;
      onChange(none);
    },
  };
}

function readKept(text: string | null): KeptServers {
  try {
    return keptServers.safeParse(JSON.parse(text ?? '')).data ?? none;
  } catch {
    return none;
  }
}
