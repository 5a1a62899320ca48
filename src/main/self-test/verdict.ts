import * as z from 'zod/mini';

/** What a self-test looks at, in this order. */
export const checkNames = [
  'tunnel',
  'ipv4',
  'ipv6',
  'names',
  'plain',
  'other-ip-version',
  'other-resolvers',
  'bound-sockets',
  'others-routes',
  'neighbours',
  'engine-killed',
  'helper-killed',
  'local-network',
  'automatic',
  'by-address',
  'by-app',
  'restored',
] as const;
export const checkName = z.enum(checkNames);
export type CheckName = z.infer<typeof checkName>;

/**
 * Who has seen it, outside of what is tested: a capture on the uplink, what is behind the gateway, the system's own
 * programs, or another computer of the same network.
 */
export const observer = z.enum(['uplink', 'far-side', 'system', 'neighbour']);
export type Observer = z.infer<typeof observer>;

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

export const verdict = z.object({
  check: checkName,
  engine,
  outcome: z.enum(['passed', 'failed', 'not-checked']),
  observers: z.array(observer),
  /** Only of what was not checked. */
  why: z.optional(unchecked),
  /** In English, for whoever looks for the cause. */
  details: z.array(z.string()),
  milliseconds: z.int(),
});
export type Verdict = z.infer<typeof verdict>;

/** Why a self-test cannot begin, or go on. */
export const obstacle = z.enum([
  'no-namespaces',
  'no-packet-filter',
  'no-helper',
  'no-sign-in',
  /** Another helper runs on this computer. */
  'helper-runs',
  /** The computer that serves cannot be reached, does not have the same code, or cannot serve. */
  'no-peer',
  'wrong-code',
  'not-served',
  'no-uplink',
  /** What was changed could not be put back. */
  'not-restored',
  'broken',
]);
export type Obstacle = z.infer<typeof obstacle>;

/** What the part inside tells, a line of JSON each. */
export const message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('verdict'), verdict }),
  z.object({ kind: z.literal('obstacle'), obstacle, detail: z.string() }),
  z.object({
    kind: z.literal('end'),
    facts: z.record(z.string(), z.string()),
    coreLog: z.array(z.string()),
    helperLog: z.array(z.string()),
  }),
]);
export type Message = z.infer<typeof message>;

/** What the part inside has to know. */
export const insideTask = z.object({
  /** Paths of the helper's program and of the command line's. */
  helper: z.string(),
  commandLine: z.string(),
  controlGroup: z.string(),
  version: z.string(),
  /** Only this one; without it, all that are installed. */
  engine: z.optional(engine),
});
export type InsideTask = z.infer<typeof insideTask>;
