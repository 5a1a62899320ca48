import * as z from 'zod/mini';

/**
 * What the service emits to each signed-in device while it is open (design §5): a stream of server-sent events (WHATWG
 * HTML §9.2). They carry no data of the account; who wants that asks for it.
 */
export const eventsPath = '/api/events';

/**
 * What has changed of the account. `entitlement`: its plan, or whose plan it shares. `invitations`: those that it got or
 * made. `devices`: where it is signed in.
 */
export const accountChange = z.enum(['entitlement', 'invitations', 'devices']);
export type AccountChange = z.infer<typeof accountChange>;
export const accountChanges: readonly AccountChange[] = accountChange.options;

/**
 * Why the service ends a stream for good. `signed-out`: as if it had refused the token. `replaced`: the device has a
 * newer one.
 */
export const streamEnd = z.enum(['signed-out', 'replaced']);
export type StreamEnd = z.infer<typeof streamEnd>;

/** The type of the event that is a stream's last, with a `StreamEnd`; all others are changes. */
export const streamEndEvent = 'end';

export const eventStream = {
  /** Less than any proxy waits for a word; nginx ends what was silent for 60 s. */
  heartbeatSeconds: 20,
  /** A stream that was silent for so long is lost. */
  silenceSeconds: 50,
  /** One of which nothing has come by then is held back by a proxy, or does not come at all. */
  openSeconds: 15,
  /** On average, before a stream that ended is opened again; doubled with each failure in a row. */
  retrySeconds: 3,
  maxRetrySeconds: 60,
  /** Without a stream, everything is asked for again each time that so much has passed. */
  pollSeconds: 60,
} as const;
