import { maxCursorLength, maxPageItems } from '#shared/constants.ts';
import { parseJson } from '#shared/parse-json.ts';
import { z } from 'zod';

/** The page of a list that a caller requests: how many items, and after which position. */
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

/** The position in a cursor, or undefined if the service did not create it for such a list. */
export function readCursor<Position>(
  position: z.ZodType<Position>,
  cursor: string | undefined,
): { ok: true; after: Position | undefined } | { ok: false } {
  if (cursor === undefined) return { ok: true, after: undefined };
  const parsed = position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  return parsed.success ? { ok: true, after: parsed.data } : { ok: false };
}

/** One page. `rows` were queried with a limit of one more than fits, so an extra row shows that there are more. */
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
