import { z } from 'zod';

/** A provider gave no answer that can be used; `cause` says why. */
export class PaymentProviderFailed extends Error {
  override name = 'PaymentProviderFailed';
  constructor(cause: unknown) {
    super('the payment provider gave no answer that can be used', { cause });
  }
}

/**
 * A company that takes payments, as the service sees it. Amounts are in cents; currencies are ISO 4217 codes. All calls
 * reject with `PaymentProviderFailed` if the provider does not answer as it should.
 */
export interface PaymentProvider {
  /**
   * Opens a payment, which may be the same one if the order already has one. `payUrl`, the address to pay at, can be a
   * path of the service.
   */
  createPayment(request: PaymentRequest): Promise<{ payUrl: string }>;
  /** The state of an order's payments. */
  paymentOf(reference: string): Promise<PaymentState>;
  /**
   * Refunds all that was paid for an order, because nobody will get what it was paid for; idempotent. Returns the state
   * of the payments, which can still be `paid` while the money is on its way.
   */
  refund(reference: string): Promise<PaymentState>;
}

export interface PaymentRequest {
  /** The order's uuid. */
  reference: string;
  title: string;
  amount: number;
  currency: string;
  /** Where the payer is sent back to in any case; can be a path of `publicUrl`. */
  returnUrl: string;
  /** Where users reach the service, without a trailing slash. */
  publicUrl: string;
}

/**
 * The state of all payments of an order, as providers send it (docs/payments.md). `revision` grows with every change:
 * of two reports, the one with the higher revision is newer, whatever order they arrive in.
 */
export const paymentState = z.object({
  revision: z.number().int().nonnegative(),
  state: z.enum([
    /** Nothing was paid, and nothing can be paid until another payment is opened. */
    'none',
    /** Can still be paid. */
    'open',
    'declined',
    'paid',
    /** Paid and refunded. */
    'refunded',
    /** Paid, and the payer's bank demands it back. Becomes `paid` again if the seller wins. */
    'disputed',
  ]),
  /** The amount that was paid; 0 if nothing was. */
  amount: z.number().int().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** For a refund, how much was refunded in total; if absent, all of it. */
  refunded: z.number().int().nonnegative().optional(),
});
export type PaymentState = z.output<typeof paymentState>;
