import { maxCursorLength, maxPageItems } from '#shared/constants.ts';
import { z } from 'zod';

/** Which page of a list a caller wants: so many items, after what the cursor stands for. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

export const pageRequest: z.ZodType<PageRequest> = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/)
    .transform(Number)
    .refine((limit) => limit <= maxPageItems)
    .default(maxPageItems),
  cursor: z.string().max(maxCursorLength).optional(),
});

/** What a cursor says, or undefined if it is none that the service made for such a list. */
export function readCursor<Position>(
  position: z.ZodType<Position>,
  cursor: string | undefined,
): { ok: true; after: Position | undefined } | { ok: false } {
  if (cursor === undefined) return { ok: true, after: undefined };
  const parsed = position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  return parsed.success ? { ok: true, after: parsed.data } : { ok: false };
}

/** One page, of rows that were asked for with one more than fit: whether that one is there tells if there is more. */
export function pageOfRows<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { itemOf, positionOf }: { itemOf: (row: Row) => Item; positionOf: (row: Row) => unknown },
): { items: Item[]; next?: string } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(itemOf);
  if (rows.length <= limit || last === undefined) return { items };
  return { items, next: Buffer.from(JSON.stringify(positionOf(last))).toString('base64url') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
