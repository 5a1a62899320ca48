import { z } from 'zod/mini';

/** How to undo what was changed of name resolution on Linux, as it is in the journal. */
export const linuxDnsUndo = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('resolv-conf'),
    /** The file itself, with symbolic links resolved. */
    path: z.string().check(z.startsWith('/')),
    /** Its bytes in base64, or null if there was no such file. */
    original: z.nullable(z.base64()),
    /** The first line of what we write there; a file without it belongs to somebody else by now. */
    marker: z.string().check(z.minLength(8)),
  }),
  z.strictObject({
    kind: z.literal('resolvconf-record'),
    record: z.string().check(z.regex(/^[a-z0-9.]+$/)),
  }),
]);
export type LinuxDnsUndo = z.infer<typeof linuxDnsUndo>;
