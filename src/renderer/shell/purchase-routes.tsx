import type { RouteObject } from 'react-router-dom';
import { lazyPage } from '../ui/loading/lazy-page.ts';

const RequireGroupManager = lazyPage(
  async () => (await import('../features/account/require-group-manager.tsx')).RequireGroupManager,
);
const PurchasePage = lazyPage(
  async () => (await import('../features/purchase/purchase-page.tsx')).PurchasePage,
);
const RedeemPage = lazyPage(async () => (await import('../features/redeem/redeem-page.tsx')).RedeemPage);
const PayOrderPage = lazyPage(
  async () => (await import('../features/payment/pay-order-page.tsx')).PayOrderPage,
);
const ConfirmPage = lazyPage(async () => (await import('../features/payment/confirm-page.tsx')).ConfirmPage);

/** The pages of a purchase (specification §2), for signed-in users who pay. */
export const purchaseRoutes: readonly RouteObject[] = [
  {
    element: <RequireGroupManager childText="purchase.childText" />,
    children: [
      { path: '/purchase', element: <PurchasePage /> },
      { path: '/x', element: <RedeemPage /> },
      { path: '/pay/order', element: <PayOrderPage /> },
      { path: '/pay/confirming', element: <ConfirmPage /> },
    ],
  },
];
