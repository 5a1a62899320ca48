import { z } from 'zod';

/** A company that takes payments, as the service sees it. Amounts are in cents; currencies are ISO 4217 codes. */
export interface PaymentProvider {
  /**
   * Opens a payment; asked again for the same order it can be the same payment. `payUrl`, where to pay, can be a
   * path of the service.
   */
  createPayment(request: PaymentRequest): Promise<{ payUrl: string }>;
  /** What became of the payments of an order; rejects if the provider does not answer. */
  paymentOf(reference: string): Promise<PaymentState>;
  /**
   * Has all that was paid for an order given back, as nobody will get what it was paid for; asked again it changes
   * nothing. Says what became of the payments, which can be `paid` still while the money is on its way.
   */
  refund(reference: string): Promise<PaymentState>;
}

export interface PaymentRequest {
  /** The order's uuid. */
  reference: string;
  title: string;
  amount: number;
  currency: string;
  /** Where the payer goes back to, whatever they decide; can be a path of `publicUrl`. */
  returnUrl: string;
  /** Where users reach the service, without a trailing slash. */
  publicUrl: string;
}

/**
 * What became of all payments of an order, as providers write it (docs/payments.md). `revision` grows with every
 * change: of two reports the one with the higher revision is the newer, in whatever order they come.
 */
export const paymentState = z.object({
  revision: z.number().int().nonnegative(),
  state: z.enum([
    /** Nothing was paid, nor can be unless another payment is opened. */
    'none',
    /** Can still be paid. */
    'open',
    'declined',
    'paid',
    /** Paid, and given back. */
    'refunded',
    /** Paid, and the payer's bank wants it back. `paid` again if that ends in the seller's favour. */
    'disputed',
  ]),
  /** Of what was paid; 0 if nothing was. */
  amount: z.number().int().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** Of a refund, how much was given back altogether; all of it if not given. */
  refunded: z.number().int().nonnegative().optional(),
});
export type PaymentState = z.output<typeof paymentState>;
