import * as z from 'zod/mini';
import { parseJson } from '../parse-json.ts';

/** Every reply's envelope (specification §7): code 0 is success. */
export const envelope = z.object({ code: z.int(), msg: z.string(), data: z.unknown() });

/** A reply's text, if it is the service's: others on the way may answer in its place. */
export const readEnvelope = (text: string) => envelope.safeParse(parseJson(text));

export const apiCode = {
  success: 0,
  unauthorized: 401,
  /** Not paid, and no payment is on its way. */
  paymentDeclined: 402,
  forbidden: 403,
  notFound: 404,
  invalid: 422,
  tooManyRequests: 429,
  unavailable: 503,
  /** Device or token changed while the call was in progress; made by the client, never sent by the service. */
  authStateChanged: 498,
} as const;

/** Why a call has no data. `service` has the service's own message, in the requested language. */
export const apiFailure = z.discriminatedUnion('kind', [
  /** `timedOut`: the call was not refused, but nobody answered in time. */
  z.object({ kind: z.literal('network'), timedOut: z.optional(z.literal(true)) }),
  z.object({ kind: z.literal('service'), code: z.int(), msg: z.string() }),
  z.object({ kind: z.literal('unauthorized') }),
  z.object({ kind: z.literal('auth-state-changed'), code: z.literal(apiCode.authStateChanged) }),
  z.object({ kind: z.literal('invalid-reply') }),
]);
export type ApiFailure = z.infer<typeof apiFailure>;

export type ApiResult<Data> = { ok: true; data: Data } | { ok: false; failure: ApiFailure };
