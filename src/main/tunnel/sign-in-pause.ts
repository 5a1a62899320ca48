import { pauseAfter } from '#shared/back-off.ts';

/** Where nobody was reached, or it is not known whether one may sign in. */
export const unreachedBackOff = { firstMs: 500, maxMs: 15_000 } as const;
/**
 * A helper may end again and again, each time with the session that it was just given. ocserv shuts an address out that
 * has made eighty connections in twenty minutes.
 */
const renewalBackOff = { firstMs: 500, maxMs: 120_000 } as const;

/**
 * How long it is until the gateway is asked for another session, in milliseconds. `renewals`: how many it has given
 * without a tunnel that lasted; `rounds`: how often it was out of reach since the last one.
 */
export const pauseBeforeSignIn = (renewals: number, rounds: number): number =>
  Math.max(pauseAfter(renewals, renewalBackOff), pauseAfter(renewals + rounds, unreachedBackOff));
