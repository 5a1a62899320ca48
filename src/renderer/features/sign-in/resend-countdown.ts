import * as z from 'zod/mini';
import { resendCountdownSeconds } from '#shared/constants.ts';

const codeSent = z.object({ email: z.string(), at: z.number() });
type CodeSent = z.infer<typeof codeSent>;

export function writeCodeSent(sent: CodeSent): string {
  return JSON.stringify(sent);
}

/**
 * When the last code went to this email, in milliseconds since the Unix epoch. Without a usable record, or
 * with one from the future (a clock that was set back), it counts as sent now: the service has a limit, too.
 */
export function readCodeSent(stored: string | null, email: string, now: number): number {
  const parsed = stored === null ? undefined : codeSent.safeParse(parseJson(stored));
  if (!parsed?.success || parsed.data.email !== email || parsed.data.at > now) return now;
  return parsed.data.at;
}

/** Whole seconds until another code may be asked for. */
export function resendSecondsLeft(sentAt: number, now: number): number {
  const left = Math.ceil(resendCountdownSeconds - (now - sentAt) / 1000);
  return Math.min(Math.max(left, 0), resendCountdownSeconds);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
