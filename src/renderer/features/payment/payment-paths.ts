/** The page that prepares the payment of an order. */
export function payPath(orderId: string): string {
  return `/pay/order?${new URLSearchParams({ orderId })}`;
}

/** The page that tells how the payment of an order went. */
export function confirmPath(orderId: string): string {
  return `/pay/confirming?${new URLSearchParams({ order_id: orderId })}`;
}
