import type { HostImplementation } from '#shared/host/contract.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { storageKeys } from '../storage/storage-keys.ts';

interface ToldTunnel {
  tunnel: WebviewApp['tunnel'];
  /** The credentials that a gateway has refused are others by now. */
  credentialsChanged(): void;
}

/**
 * The app's tunnel, of which everybody who follows it is also told what the app says when it is asked: its events are
 * lost while the page is suspended, and afterwards the page asks.
 */
export function tellSnapshots(
  app: WebviewApp['tunnel'],
  storage: Pick<HostImplementation['storage'], 'get' | 'set' | 'remove'>,
): ToldTunnel {
  const listeners = new Set<(state: TunnelState) => void>();
  let events = 0;
  let told: string | undefined;
  let last: TunnelState | undefined;
  /** What the app says until it tries again, also to the next page. */
  let outdated: string | undefined;
  const stored = readStored();
  const current = (state: TunnelState): TunnelState => {
    if (JSON.stringify(state) !== outdated || state.state !== 'disconnected') return state;
    const { reason: _, ...rest } = state;
    return rest;
  };
  async function readStored(): Promise<void> {
    const text = await storage.get(storageKeys.outdatedRefusal);
    if (text === null || outdated !== undefined) return;
    outdated = text;
    if (last) tell(last);
  }
  function tell(state: TunnelState): void {
    last = state;
    told = JSON.stringify(state);
    if (outdated !== undefined && told !== outdated) {
      outdated = undefined;
      void storage.remove(storageKeys.outdatedRefusal);
    }
    for (const listener of listeners) listener(current(state));
  }
  app.stateChanged((state) => {
    events += 1;
    tell(state);
  });
  return {
    tunnel: {
      ...app,
      stateChanged(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      async snapshot() {
        await stored;
        const eventsBefore = events;
        const state = await app.snapshot();
        // An event that arrived meanwhile may be newer than this answer.
        if (events === eventsBefore && JSON.stringify(state) !== told) tell(state);
        return current(state);
      },
    },
    credentialsChanged() {
      if (last?.state !== 'disconnected' || last.reason !== 'sign-in-refused' || told === undefined) return;
      outdated = told;
      void storage.set({ key: storageKeys.outdatedRefusal, value: told });
      tell(last);
    },
  };
}
