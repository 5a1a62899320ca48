import * as z from 'zod/mini';
import { checkName } from './check-names.ts';

/**
 * Who has seen it, outside of what is tested: a capture on the uplink, what is behind the gateway, the system's own
 * programs, or another computer of the same network.
 */
export const observer = z.enum(['uplink', 'far-side', 'system', 'neighbour']);
export type Observer = z.infer<typeof observer>;

export const ipVersions = ['ipv4', 'ipv6'] as const;
export type IpVersion = (typeof ipVersions)[number];

/** Why nothing can be said. */
export const unchecked = z.enum([
  /** The system has no such sockets for an observer, or the observer has lost something. */
  'no-observer',
  /** What should have been seen where it is allowed was not. */
  'no-control',
  'no-ipv6',
  /** Only another computer of the same network could see it. */
  'no-second-computer',
  /** The other computer has no address here but that of its gateway. */
  'no-second-address',
  /** The helper does not offer this here. */
  'not-offered',
  /** There was no tunnel to check it with. */
  'no-tunnel',
  'no-time',
]);
export type Unchecked = z.infer<typeof unchecked>;

export const engine = z.enum(['openconnect', 'own']);
export type Engine = z.infer<typeof engine>;

/** An IP version of which nobody could see what leaves, though the rest was checked. */
const unseenVersion = z.object({
  ipVersion: z.enum(ipVersions),
  why: unchecked,
  details: z.array(z.string()),
});
export type Unseen = z.infer<typeof unseenVersion>;

export const verdict = z.object({
  check: checkName,
  engine,
  outcome: z.enum(['passed', 'failed', 'not-checked']),
  observers: z.array(observer),
  /** Only of what was not checked. */
  why: z.optional(unchecked),
  /** Only of what was checked in part. */
  unseen: z.optional(z.array(unseenVersion)),
  /** In English, for whoever looks for the cause. */
  details: z.array(z.string()),
  milliseconds: z.int(),
});
export type Verdict = z.infer<typeof verdict>;

/** Whether some of it could not be checked. */
export const isInPart = ({ unseen }: Verdict): boolean => unseen !== undefined && unseen.length > 0;
