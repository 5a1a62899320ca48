/** The page that prepares the payment of an order. */
export function payPath(orderId: string): string {
  return `/pay/order?${new URLSearchParams({ orderId })}`;
}

/** The page that shows how the payment of an order went. */
export function confirmPath(orderId: string): string {
  return `/pay/confirming?${new URLSearchParams({ order_id: orderId })}`;
}

/** The state of `payPath` for users who already know what the plan's seats mean for its time. */
export const knowsSeats = { knowsSeats: true };

export const isSeatsKnown = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'knowsSeats' in state;
