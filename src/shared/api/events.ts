import * as z from 'zod/mini';

/**
 * What the service emits to each signed-in device while it is open (design §5): a stream of server-sent events (WHATWG
 * HTML §9.2). Events carry no data of the account; an app that needs the data asks for it.
 */
export const eventsPath = '/api/events';

/**
 * What has changed in the account. `entitlement`: its plan, or the plan that it shares. `invitations`: those that it
 * received or sent. `devices`: where it is signed in.
 */
export const accountChange = z.enum(['entitlement', 'invitations', 'devices']);
export type AccountChange = z.infer<typeof accountChange>;
export const accountChanges: readonly AccountChange[] = accountChange.options;

/**
 * Why the service ends a stream for good. `signed-out`: means the same as a refused token. `replaced`: the device has a
 * newer stream.
 */
export const streamEnd = z.enum(['signed-out', 'replaced']);
export type StreamEnd = z.infer<typeof streamEnd>;

/** The type of the last event of a stream, which carries a `StreamEnd`; all other events are changes. */
export const streamEndEvent = 'end';

export const eventStream = {
  /** Less than any proxy waits: nginx ends a stream that was silent for 60 s. */
  heartbeatSeconds: 20,
  /** A stream that was silent for this long counts as lost. */
  silenceSeconds: 50,
  /** If nothing has arrived by then, a proxy is buffering the stream, or it cannot be reached. */
  openSeconds: 15,
  /** Average delay before a stream that ended is opened again; doubled with each consecutive failure. */
  retrySeconds: 3,
  maxRetrySeconds: 60,
  /** Without a stream, the app asks for everything again at this interval. */
  pollSeconds: 60,
} as const;
