import * as z from 'zod/mini';
import { authCodeLifetimeMinutes, authCodeMaxTries, resendCountdownSeconds } from '#shared/constants.ts';

const sentCode = z.object({
  email: z.string(),
  authId: z.string(),
  /** When it was mailed, in milliseconds since the Unix epoch. */
  at: z.number(),
  /** How often another one was typed in its place. */
  wrong: z.number(),
});
/** The code that was mailed last, as the page keeps it: closed and opened again, it leads back to where it is typed. */
export type SentCode = z.infer<typeof sentCode>;

export function writeSentCode(sent: SentCode): string {
  return JSON.stringify(sent);
}

/**
 * What was kept, or undefined if that is not usable. One from the future (a clock that was set back) counts as sent
 * now: the service has a limit, too.
 */
export function readSentCode(stored: string | null, now: number): SentCode | undefined {
  const parsed = sentCode.safeParse(stored === null ? undefined : parseJson(stored));
  return parsed.success ? { ...parsed.data, at: Math.min(parsed.data.at, now) } : undefined;
}

/** The service takes an address in capitals for the same. */
export function wasSentTo(sent: SentCode, email: string): boolean {
  return sent.email.toLowerCase() === email.toLowerCase();
}

/** Whether the service refuses the code by now, even if it is typed right. */
export function isCodeOver({ at, wrong }: SentCode, now: number): boolean {
  return wrong >= authCodeMaxTries || now - at >= authCodeLifetimeMinutes * 60_000;
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
