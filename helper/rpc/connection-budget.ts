import type { Caller } from '../system/ports/caller-identity-port.ts';
import { maxGatewayStreams } from '../tunnel/gateway-streams.ts';

/** A sign-in takes one for each of its streams; the app, and each of the user's other programs, take one. */
const ofOneUser = maxGatewayStreams + 14;

/** Maximum numbers of connections. Each kind of user is counted separately, so that none keeps another one out. */
const limits = {
  administrators: { all: ofOneUser, perUser: ofOneUser },
  allowed: { all: 1024, perUser: ofOneUser },
  refused: { all: 16, perUser: 2 },
} as const;

/** Maximum numbers of stored lists; each takes at most about ten megabytes. */
const listLimits = { all: 8, perUser: 4 } as const;

/** Counts open connections and stored lists. */
export interface ConnectionBudget {
  /** Returns a function that releases the place when the connection has closed; undefined if there is no place. */
  take(caller: Caller): (() => void) | undefined;
  /** The same for a list that a client stores. */
  takeList(caller: Caller): (() => void) | undefined;
}

export function createConnectionBudget(): ConnectionBudget {
  const pools = {
    administrators: createPool(limits.administrators),
    allowed: createPool(limits.allowed),
    refused: createPool(limits.refused),
  };
  const lists = createPool(listLimits);
  return {
    take({ user, isAllowed, isAdministrator }) {
      if (isAdministrator) return pools.administrators.take(user);
      return (isAllowed ? pools.allowed : pools.refused).take(user);
    },
    takeList: ({ user }) => lists.take(user),
  };
}

function createPool({ all, perUser }: { all: number; perUser: number }) {
  const open = new Map<string, number>();
  let total = 0;
  const change = (user: string, by: 1 | -1) => {
    const count = (open.get(user) ?? 0) + by;
    total += by;
    if (count > 0) open.set(user, count);
    else open.delete(user);
  };
  return {
    take(user: string): (() => void) | undefined {
      if (total >= all || (open.get(user) ?? 0) >= perUser) return undefined;
      change(user, 1);
      return () => change(user, -1);
    },
  };
}
