import type { z } from 'zod/mini';

/** What checks a value that comes from outside, with `z.parse` or `z.safeParse`. */
export type Schema<Value> = z.core.$ZodType<Value>;
