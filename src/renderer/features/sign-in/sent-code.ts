import * as z from 'zod/mini';
import { authCodeLifetimeMinutes, authCodeMaxTries, resendCountdownSeconds } from '#shared/constants.ts';
import { parseJson } from '#shared/parse-json.ts';

const sentCode = z.object({
  email: z.string(),
  authId: z.string(),
  /** When it was mailed, in milliseconds since the Unix epoch. */
  at: z.number(),
  /** How often a wrong code was typed. */
  wrong: z.number(),
});
/**
 * The code that was mailed last, as the page stores it: after being closed and opened again, the page returns to where
 * it is typed.
 */
export type SentCode = z.infer<typeof sentCode>;

export function writeSentCode(sent: SentCode): string {
  return JSON.stringify(sent);
}

/**
 * The stored value, or undefined if it is not usable. A time in the future (a clock that was set back) counts as now;
 * the service has a limit, too.
 */
export function readSentCode(stored: string | null, now: number): SentCode | undefined {
  const parsed = sentCode.safeParse(stored === null ? undefined : parseJson(stored));
  return parsed.success ? { ...parsed.data, at: Math.min(parsed.data.at, now) } : undefined;
}

/** The service ignores the case of an address. */
export function wasSentTo(sent: SentCode, email: string): boolean {
  return sent.email.toLowerCase() === email.toLowerCase();
}

/** Whether the service would refuse the code by now, even if it is typed correctly. */
export function isCodeOver({ at, wrong }: SentCode, now: number): boolean {
  return wrong >= authCodeMaxTries || now - at >= authCodeLifetimeMinutes * 60_000;
}

/** Whole seconds until another code may be requested. */
export function resendSecondsLeft(sentAt: number, now: number): number {
  const left = Math.ceil(resendCountdownSeconds - (now - sentAt) / 1000);
  return Math.min(Math.max(left, 0), resendCountdownSeconds);
}
