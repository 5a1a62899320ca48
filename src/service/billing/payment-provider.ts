/** A company that takes payments, as the service sees it. Amounts are in cents; currencies are ISO 4217 codes. */
export interface PaymentProvider {
  /**
   * Opens a payment; asked again for the same order it can be the same payment. `payUrl`, where to pay, can be a
   * path of the service.
   */
  createPayment(request: {
    /** The order's uuid. */
    reference: string;
    title: string;
    amount: number;
    currency: string;
    /** Where the payer goes back to, whatever he decides; can be a path of the service. */
    returnUrl: string;
  }): Promise<{ payUrl: string }>;
  /** What became of the payments of an order. */
  paymentOf(reference: string): Promise<PaymentState>;
}

export type PaymentState =
  /** Nothing was paid, nor can be unless another payment is opened. */
  | { kind: 'none' }
  /** Can still be paid. */
  | { kind: 'open' }
  | { kind: 'declined' }
  | { kind: 'paid'; amount: number; currency: string };
