import type { WebviewApp } from '#shared/host/webview-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * The app's tunnel, of which everybody who follows it is also told what the app says when it is asked: its events are
 * lost while the page is suspended, and afterwards the page asks.
 */
export function tellSnapshots(app: WebviewApp['tunnel']): WebviewApp['tunnel'] {
  const listeners = new Set<(state: TunnelState) => void>();
  let events = 0;
  let told: string | undefined;
  const tell = (state: TunnelState) => {
    told = JSON.stringify(state);
    for (const listener of listeners) listener(state);
  };
  app.stateChanged((state) => {
    events += 1;
    tell(state);
  });
  return {
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
      return state;
    },
  };
}
