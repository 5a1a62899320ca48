import * as z from 'zod/mini';
import { engine, verdict } from './verdict.ts';

/** Why a self-test cannot begin, or go on. */
const obstacle = z.enum([
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
