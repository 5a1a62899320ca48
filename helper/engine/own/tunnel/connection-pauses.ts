/**
 * How often a tunnel connects to its gateway by itself. Gateways count connections, whatever comes of them: ocserv
 * shuts an address out for some minutes that has made 80 in twenty minutes (`max-ban-score`, `ban-points-connection`),
 * and then nobody there can sign in either.
 */

/** For new keys that could not be had: longer each time. */
const firstRetryMs = 10_000;
const retryFactor = 1.5;
const maxRetryMs = 300_000;

/** How long to wait before new keys are tried again, in milliseconds, after so many tries in vain (1 or more). */
export const renewalPauseMs = (tries: number): number =>
  Math.min(firstRetryMs * retryFactor ** (tries - 1), maxRetryMs);

/** A connection that breaks is opened anew at once if it has lasted for so long; one that was opened so, for longer. */
const minLifeMs = { first: 10_000, openedAnew: 20_000 } as const;

export const hasLasted = (milliseconds: number, isOpenedAnew: boolean): boolean =>
  milliseconds >= minLifeMs[isOpenedAnew ? 'openedAnew' : 'first'];
