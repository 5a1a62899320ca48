import * as z from 'zod/mini';
import { parseJson } from '#shared/parse-json.ts';

const entry = z.object({ data: z.unknown(), at: z.number() });

/** The text in which an answer of the service is stored, with the time of its arrival. */
export const storedAnswer = (data: unknown): string => JSON.stringify({ data, at: Date.now() });

/**
 * A stored answer and the time of its arrival, in milliseconds since the Unix epoch, or undefined if `text` is invalid.
 */
export function readStored<Data>(
  read: (stored: unknown) => Data | undefined,
  text: string | null,
): { data: Data; at: number } | undefined {
  const stored = entry.safeParse(text === null ? undefined : parseJson(text));
  const data = stored.success ? read(stored.data.data) : undefined;
  if (!stored.success || data === undefined) return undefined;
  // A time in the future means that the clock was set back: the age is not known, so it counts as old.
  return { data, at: stored.data.at > Date.now() ? 0 : stored.data.at };
}
