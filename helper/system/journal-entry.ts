import { z } from 'zod';
import { gateway, routing } from '#shared/tunnel/state.ts';

/** How to undo one kind of change. Each can be undone any number of times, made or not. */
export const undoStep = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('packet-filter') }),
  z.strictObject({ kind: z.literal('device-and-routing') }),
  z.strictObject({
    kind: z.literal('resolv-conf'),
    /** The file itself, symbolic links followed. */
    path: z.string().startsWith('/'),
    /** Its bytes in base64, or null if there was no such file. */
    original: z.base64().nullable(),
    /** First line of what we write there; a file without it is somebody else's by now. */
    marker: z.string().min(8),
  }),
  z.strictObject({ kind: z.literal('resolvconf-record'), record: z.string().regex(/^[a-z0-9.]+$/) }),
]);
export type UndoStep = z.infer<typeof undoStep>;
/** What takes back a change of how names are resolved. */
export type DnsStep = Extract<UndoStep, { kind: 'resolv-conf' | 'resolvconf-record' }>;

export const journalEntry = z.strictObject({
  version: z.literal(1),
  connection: z.strictObject({
    gateway,
    address: z.union([z.ipv4(), z.ipv6()]),
    routing,
    killSwitch: z.boolean(),
    clientUids: z.array(z.number().int().nonnegative()),
    fallbackResolvers: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .max(3)
      .optional(),
  }),
  steps: z.array(undoStep),
});
export type JournalEntry = z.infer<typeof journalEntry>;
