import * as z from 'zod/mini';
import { connectionProblem, disconnectReason } from './state.ts';

/** Why a tunnel that was up was lost, as far as the computer can tell. */
export const lossCause = z.enum(['asleep', 'wifi-gone', 'network-gone', 'network-changed', 'server-silent']);
export type LossCause = z.infer<typeof lossCause>;

/** What the server is called in the list, or its host. */
const server = z.string().check(z.maxLength(256));

/** Something that happened to the connection, as people tell it: not every state, and in no words yet. */
export const connectionEvent = z.discriminatedUnion('kind', [
  /** `since`: the tunnel's own time, by which it is known again. */
  z.object({ kind: z.literal('connected'), server, since: z.int() }),
  z.object({ kind: z.literal('lost'), cause: lossCause }),
  z.object({ kind: z.literal('impaired'), problem: connectionProblem }),
  z.object({ kind: z.literal('repaired') }),
  /** By the user, if there is no reason. */
  z.object({ kind: z.literal('ended'), reason: z.optional(disconnectReason) }),
  z.object({ kind: z.literal('blocked') }),
  z.object({ kind: z.literal('unblocked') }),
]);
export type ConnectionEvent = z.infer<typeof connectionEvent>;

/** `at` in milliseconds since the Unix epoch. */
export const connectionLogEntry = z.object({ at: z.int().check(z.nonnegative()), event: connectionEvent });
export type ConnectionLogEntry = z.infer<typeof connectionLogEntry>;

export const maxConnectionLogEntries = 500;

/** The oldest first. */
export const connectionLog = z.array(connectionLogEntry).check(z.maxLength(maxConnectionLogEntries));
