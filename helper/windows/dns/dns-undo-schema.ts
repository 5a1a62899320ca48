import { z } from 'zod/mini';

/**
 * How to undo what was changed of name resolution on Windows, as it is in the journal: all of it has names that only we
 * use.
 */
export const windowsDnsUndo = z.strictObject({ kind: z.literal('name-rule') });
export type WindowsDnsUndo = z.infer<typeof windowsDnsUndo>;
