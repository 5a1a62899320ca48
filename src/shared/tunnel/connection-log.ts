import * as z from 'zod/mini';
import { connectionProblem, disconnectReason } from './state.ts';

/** Why a tunnel that was up was lost, as far as this computer can know. */
export const lossCause = z.enum([
  'asleep',
  'wifi-gone',
  'network-gone',
  'network-changed',
  /** It has said so. */
  'server-ended',
  'server-silent',
]);
export type LossCause = z.infer<typeof lossCause>;

/** The server's name in the list, or its host. */
const server = z.string().check(z.maxLength(256));

/** Something that happened to the connection, as people would tell it: not every state, and not in words yet. */
export const connectionEvent = z.discriminatedUnion('kind', [
  /** `since`: the start time of the tunnel, which identifies it. */
  z.object({ kind: z.literal('connected'), server, since: z.int() }),
  z.object({ kind: z.literal('lost'), cause: lossCause }),
  z.object({ kind: z.literal('impaired'), problem: connectionProblem }),
  z.object({ kind: z.literal('repaired') }),
  /** Without a reason, the user ended it. */
  z.object({ kind: z.literal('ended'), reason: z.optional(disconnectReason) }),
  z.object({ kind: z.literal('blocked') }),
  z.object({ kind: z.literal('unblocked') }),
]);
export type ConnectionEvent = z.infer<typeof connectionEvent>;

/** `at` in milliseconds since the Unix epoch. */
export const connectionLogEntry = z.object({ at: z.int().check(z.nonnegative()), event: connectionEvent });
export type ConnectionLogEntry = z.infer<typeof connectionLogEntry>;

export const maxConnectionLogEntries = 500;

/** Oldest first. */
export const connectionLog = z.array(connectionLogEntry).check(z.maxLength(maxConnectionLogEntries));
