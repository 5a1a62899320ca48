/** How long orders and what belongs to them last, in milliseconds. */

const dayMs = 24 * 3_600_000;
/** After this time, an unpaid order is no longer shown, and its payment can no longer be started. */
export const orderLifetimeMs = dayMs;
/** Longer than an order and its payment can last together: what was not paid by then never will be. */
export const unpaidOrderKeptMs = 7 * dayMs;
/**
 * A paid order that cannot be settled, because the buyer is a member or the amount is wrong, is left to the operator
 * after this.
 */
export const askedForMs = 90 * dayMs;
/** Longer than banks allow payers to take payments back. */
export const refundsSoughtForMs = 180 * dayMs;
/** Longer than any provider repeats a report. */
export const eventKeptMs = 90 * dayMs;
