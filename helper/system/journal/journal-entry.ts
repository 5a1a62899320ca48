import { z } from 'zod/mini';
import { maxOtherAddresses, proxyAtAddress } from '#shared/helper/protocol.ts';
import { gateway, routing } from '#shared/tunnel/state.ts';
import type { ReadRouting } from '../../modes/read-routing.ts';
import type { DnsUndo } from '../ports/dns-port.ts';
import type { Schema } from '../schema.ts';
import { maxPushedRoutes } from '../../network/tunnel-configuration.ts';

/** How to undo one kind of change. Each step can be undone any number of times, whether or not the change was made. */
export type UndoStep = { kind: 'packet-filter' } | { kind: 'routing' } | { kind: 'device' } | DnsStep;
/** Undoes a change of DNS. */
export interface DnsStep {
  kind: 'dns';
  how: DnsUndo;
}

/** What is in `how` is checked by the system's own schema. */
const undoStepOf = (dnsUndo: Schema<DnsUndo>): Schema<UndoStep> =>
  z.union([
    z.strictObject({ kind: z.enum(['packet-filter', 'routing', 'device']) }),
    z.strictObject({ kind: z.literal('dns'), how: dnsUndo }),
    // Earlier helpers wrote the system's part alone.
    z.pipe(
      dnsUndo,
      z.transform((how: DnsUndo): DnsStep => ({ kind: 'dns', how })),
    ),
  ]);

const prefixes = z.array(z.union([z.cidrv4(), z.cidrv6()])).check(z.maxLength(2 * maxPushedRoutes));

const resolvers = z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(3));

/** Lists are in a separate file, which is referenced by its SHA-256; earlier helpers stored them here. */
const storedRouting = z.union([
  routing,
  z.strictObject({ mode: z.enum(['pac', 'ip']), lists: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
]);
export type StoredRouting = z.infer<typeof storedRouting>;

const connection = z.strictObject({
  gateway,
  address: z.union([z.ipv4(), z.ipv6()]),
  /** Of the proxy. */
  otherAddresses: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(maxOtherAddresses))),
  proxy: z.optional(proxyAtAddress),
  routing: storedRouting,
  killSwitch: z.boolean(),
  allowIncoming: z.optional(z.boolean()),
  owner: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  /** Written by earlier helpers, and without use. */
  fallbackResolvers: z.optional(resolvers),
  ownResolvers: z.optional(resolvers),
  split: z.optional(z.boolean()),
  awaitedAddresses: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(4))),
  pushedRoutes: z.optional(z.strictObject({ includes: prefixes, excludes: prefixes })),
});

interface StoredEntry {
  version: 2;
  /** Null if traffic is blocked because of an unreadable journal. */
  connection: z.output<typeof connection> | null;
  steps: UndoStep[];
}

/** A journal's content, including the lists. */
export type JournalEntry = Omit<StoredEntry, 'connection'> & {
  connection: (Omit<NonNullable<StoredEntry['connection']>, 'routing'> & { routing: ReadRouting }) | null;
};

/** An earlier kind of step, and the steps that replaced it. */
const replaced = <Kind extends string>(kind: Kind, by: readonly UndoStep[]) =>
  z.pipe(
    z.strictObject({ kind: z.literal(kind) }),
    z.transform(() => by),
  );

/**
 * Entries of this version and all earlier ones. The first version had two differences: before and after the device and
 * the routing, which were undone separately, became one step; and a connection had several uids, of which only one was
 * used.
 */
export function storedEntryOf(dnsUndo: Schema<DnsUndo>): Schema<StoredEntry> {
  const undoStep = undoStepOf(dnsUndo);
  const currentEntry = z.strictObject({
    version: z.literal(2),
    connection: z.nullable(connection),
    steps: z.array(undoStep),
  });
  const firstConnection = z.extend(z.omit(connection, { owner: true }), {
    clientUids: z.array(z.number().check(z.int(), z.nonnegative())),
  });
  const firstEntry = z.pipe(
    z.strictObject({
      version: z.literal(1),
      connection: z.pipe(
        firstConnection,
        z.transform(({ clientUids: [uid = 0], ...rest }) => ({ ...rest, owner: String(uid) })),
      ),
      steps: z.array(
        z.union([
          z.pipe(
            undoStep,
            z.transform((step: UndoStep): readonly UndoStep[] => [step]),
          ),
          replaced('policy-routing', [{ kind: 'routing' }]),
          replaced('device-and-routing', [{ kind: 'device' }, { kind: 'routing' }]),
        ]),
      ),
    }),
    z.transform((entry): StoredEntry => ({ ...entry, version: 2, steps: entry.steps.flat() })),
  );
  return z.union([currentEntry, firstEntry]);
}

/** The usable steps of an incomplete journal: those that need no data, and all that can still be read. */
export function salvageSteps(text: string, dnsUndo: Schema<DnsUndo>): UndoStep[] {
  const always: UndoStep[] = [{ kind: 'packet-filter' }, { kind: 'routing' }, { kind: 'device' }];
  const read = readableSteps(text, undoStepOf(dnsUndo));
  return [...always, ...read.filter(({ kind }) => kind === 'dns')];
}

function readableSteps(text: string, undoStep: Schema<UndoStep>): UndoStep[] {
  try {
    const { steps } = z.object({ steps: z.array(z.unknown()) }).parse(JSON.parse(text));
    return steps.flatMap((step) => {
      const parsed = z.safeParse(undoStep, step);
      return parsed.success ? [parsed.data] : [];
    });
  } catch {
    return [];
  }
}
