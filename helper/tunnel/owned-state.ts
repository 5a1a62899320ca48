import { isDeepStrictEqual } from 'node:util';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Client } from './attached-clients.ts';

/** The tunnel's state, and the user to whom the connection belongs. */
export interface OwnedState {
  readonly current: TunnelState;
  /** The connection's owner while it is in progress, up or blocking. */
  owner: string | undefined;
  /** Whose connection was the last one; why it ended is told to nobody else, who may connect. */
  formerOwner: string | undefined;
  /** Nothing of the connection is left, so it is nobody's. */
  release(): void;
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
function withoutWords(state: TunnelState): TunnelState {
  switch (state.state) {
    case 'connected': {
      const { terms: _private, ...rest } = state;
      return rest;
    }
    case 'connecting':
    case 'disconnected': {
      const { goodbye: _private, ...rest } = state;
      return rest;
    }
    case 'disconnecting':
    case 'invalid':
      return state;
    default:
      return state satisfies never;
  }
}

/** Traffic that is blocked, or leaves although it should not, is everybody's. */
const concernsEverybody = (state: TunnelState) =>
  state.state !== 'disconnected' || state.blocked === true || state.reason === 'protection-failed';

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
    release() {
      owned.formerOwner = owned.owner ?? owned.formerOwner;
      owned.owner = undefined;
    },
    set(state) {
      current = state;
      const next = { state, owner: owned.owner };
      if (isDeepStrictEqual(next, emitted)) return;
      emitted = next;
      for (const listener of listeners) listener();
    },
    seenBy(client) {
      if (!owned.mayChange(client)) return { ...withoutWords(current), ownedByOther: true };
      const { formerOwner = client.user } = owned;
      const isTold = client.isAdministrator || client.user === formerOwner;
      if (isTold) return current;
      return concernsEverybody(current) ? withoutWords(current) : { state: 'disconnected' };
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
