import { Navigate, type RouteObject } from 'react-router-dom';
import type { HandOver } from '../features/store/take-hand-over.ts';
import { lazyPage } from '../ui/loading/lazy-page.ts';

const StorePage = lazyPage(async () => (await import('../features/store/store-page.tsx')).StorePage);
const VisitConfirmPage = lazyPage(
  async () => (await import('../features/store/visit-confirm-page.tsx')).VisitConfirmPage,
);
const EventsPage = lazyPage(async () => (await import('../features/store/events-page.tsx')).EventsPage);
const PrivacyPage = lazyPage(async () => (await import('../features/store/privacy-page.tsx')).PrivacyPage);

/** The store, which only the web console has: apps open it in the system's browser. It does not need a sign-in. */
export function storeRoutes(handOver: HandOver): RouteObject[] {
  return [
    { path: '/store/purchase', element: <StorePage key="purchase" page="purchase" handOver={handOver} /> },
    { path: '/store/change-service', element: <StorePage key="change" page="change" handOver={handOver} /> },
    { path: '/store/quick-start', element: <StorePage key="start" page="quickStart" handOver={handOver} /> },
    { path: '/store/confirming', element: <VisitConfirmPage /> },
    { path: '/store/events', element: <EventsPage /> },
    { path: '/store/privacy', element: <PrivacyPage /> },
  ];
}

/**
 * Links to the store that a system opens in the app: the app's way to buy is /purchase, which opens the system's
 * browser.
 */
export const storeLinks: readonly RouteObject[] = [
  ...['purchase', 'change-service', 'quick-start'].map((page) => ({
    path: `/store/${page}`,
    element: <Navigate to="/purchase" replace />,
  })),
  { path: '/store/confirming', element: <Navigate to="/dashboard" replace /> },
];
