import type { RoutingProxy } from '#shared/tunnel/state.ts';
import type { TestClient } from '../callers/test-client.ts';

/** Where the proxy listens, by the client's last state. */
export function proxyOf({ states }: TestClient): RoutingProxy {
  const state = states.at(-1);
  if (state?.state !== 'connected' || state.routing.mode !== 'pac' || !state.routing.proxy) {
    throw new Error(`no proxy: ${JSON.stringify(state)}`);
  }
  return state.routing.proxy;
}
