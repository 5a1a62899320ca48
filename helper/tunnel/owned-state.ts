import { isDeepStrictEqual } from 'node:util';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Client } from './attached-clients.ts';

/** The tunnel's state, and the user to whom the connection belongs. */
export interface OwnedState {
  readonly current: TunnelState;
  /** The connection's owner while it is in progress, up or blocking. */
  owner: string | undefined;
  /** Whose connection an earlier helper lost; others are not told of it, and may connect. */
  formerOwner: string | undefined;
  /** Emits the state if it or the owner has changed. */
  set(state: TunnelState): void;
  /** The state as this client sees it. */
  seenBy(client: Client): TunnelState;
  /** A connection belongs to its owner: others may see it, but only administrators can also change it. */
  mayChange(client: Client): boolean;
  /** Calls back when the state, or who may change it, changes. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void;
}

/** What a gateway says to its user is between them. */
function forOthers(state: TunnelState): TunnelState {
  if (state.state !== 'connected') return { ...state, ownedByOther: true };
  const { terms: _private, ...rest } = state;
  return { ...rest, ownedByOther: true };
}

export function createOwnedState(): OwnedState {
  const listeners = new Set<() => void>();
  let current: TunnelState = { state: 'disconnected' };
  let emitted: { state: TunnelState; owner: string | undefined } = { state: current, owner: undefined };

  const owned: OwnedState = {
    get current() {
      return current;
    },
    owner: undefined,
    formerOwner: undefined,
    set(state) {
      current = state;
      const next = { state, owner: owned.owner };
      if (isDeepStrictEqual(next, emitted)) return;
      emitted = next;
      for (const listener of listeners) listener();
    },
    seenBy(client) {
      if (!owned.mayChange(client)) return forOthers(current);
      const isLostConnection = current.state === 'disconnected' && current.reason === 'helper-restarted';
      const isTold = client.isAdministrator || client.user === owned.formerOwner;
      return isLostConnection && !isTold ? { state: 'disconnected' } : current;
    },
    mayChange: ({ user, isAdministrator }) =>
      isAdministrator || owned.owner === undefined || owned.owner === user,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return owned;
}
