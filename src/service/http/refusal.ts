import { apiCode } from '#shared/api/result.ts';
import type { Language } from '#shared/entities.ts';
import { refusalTexts } from '#shared/texts/refusal-texts.ts';

/** The reply's code, and its HTTP status, for each reason to refuse a call. */
const codes = {
  'bad-request': 400,
  'not-signed-in': apiCode.unauthorized,
  'not-found': apiCode.notFound,
  'members-may-not': apiCode.forbidden,
  'own-email': apiCode.invalid,
  'already-member': apiCode.invalid,
  'no-seats': apiCode.invalid,
  'no-seat-left': apiCode.invalid,
  'too-many-invitations': apiCode.tooManyRequests,
  'invitation-over': apiCode.notFound,
  'in-a-group': apiCode.invalid,
  'has-own-plan': apiCode.invalid,
  'group-full': apiCode.invalid,
  'not-in-a-group': apiCode.invalid,
  'order-paid': apiCode.invalid,
  'order-expired': apiCode.invalid,
  'payments-off': apiCode.invalid,
  'unknown-product': apiCode.invalid,
  'hand-over-over': apiCode.notFound,
  'store-visit-over': apiCode.notFound,
  'payment-open': apiCode.invalid,
  'payment-unreachable': apiCode.unavailable,
  'payment-taken-back': apiCode.invalid,
  'bad-signature': apiCode.unauthorized,
  'payment-declined': apiCode.paymentDeclined,
  'unknown-order': apiCode.notFound,
  'unknown-license-key': apiCode.notFound,
  'own-license-key': apiCode.invalid,
  'used-license-key': apiCode.invalid,
  'invalid-app-name': apiCode.invalid,
  'invalid-app-link': apiCode.invalid,
  'invalid-app-icon': apiCode.invalid,
  'too-many-apps': apiCode.invalid,
  'too-large': 413,
  'not-json': 415,
  'invalid-fields': apiCode.invalid,
  'invalid-email': apiCode.invalid,
  'wrong-code': apiCode.invalid,
  'code-just-sent': apiCode.tooManyRequests,
  'too-many-codes': apiCode.tooManyRequests,
  'too-many-requests': apiCode.tooManyRequests,
  'mail-refused': apiCode.invalid,
  'mail-not-sent': apiCode.unavailable,
  unavailable: apiCode.unavailable,
  'internal-error': 500,
} as const satisfies Record<keyof typeof refusalTexts, number>;

export type RefusalReason = keyof typeof codes;

/** The result of a call. */
export type Outcome<Data> = { ok: true; data: Data } | { ok: false; reason: RefusalReason };

export function done<Data>(data: Data): Outcome<Data> {
  return { ok: true, data };
}

export function refused(reason: RefusalReason): { ok: false; reason: RefusalReason } {
  return { ok: false, reason };
}

/** The envelope of a refusal (specification §7). */
export function refusalReply(reason: RefusalReason, language: Language) {
  return { code: codes[reason], msg: refusalTexts[reason][language], data: null };
}
