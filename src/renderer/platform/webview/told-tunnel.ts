import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

interface ToldTunnel {
  tunnel: WebviewApp['tunnel'];
  /** The credentials that a gateway has refused are others by now. */
  credentialsChanged(): void;
}

/**
 * The app's tunnel, of which everybody who follows it is also told what the app says when it is asked: its events are
 * lost while the page is suspended, and afterwards the page asks.
 */
export function tellSnapshots(app: WebviewApp['tunnel']): ToldTunnel {
  const listeners = new Set<(state: TunnelState) => void>();
  let events = 0;
  let told: string | undefined;
  let last: TunnelState | undefined;
  /** What the app says until it tries again. */
  let outdated: string | undefined;
  const current = (state: TunnelState): TunnelState => {
    if (JSON.stringify(state) !== outdated || state.state !== 'disconnected') return state;
    const { reason: _, ...rest } = state;
    return rest;
  };
  const tell = (state: TunnelState) => {
    last = state;
    told = JSON.stringify(state);
    if (told !== outdated) outdated = undefined;
    for (const listener of listeners) listener(current(state));
  };
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
        const eventsBefore = events;
        const state = await app.snapshot();
        // An event that arrived meanwhile may be newer than this answer.
        if (events === eventsBefore && JSON.stringify(state) !== told) tell(state);
        return current(state);
      },
    },
    credentialsChanged() {
      if (last?.state !== 'disconnected' || last.reason !== 'sign-in-refused') return;
      outdated = told;
      tell(last);
    },
  };
}
