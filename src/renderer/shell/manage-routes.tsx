import type { RouteObject } from 'react-router-dom';
import { lazyPage } from '../ui/loading/lazy-page.ts';
import { sections } from '../ui/pages/sections.ts';

const RequireGroupManager = lazyPage(
  async () => (await import('../features/account/require-group-manager.tsx')).RequireGroupManager,
);
const MyServicePage = lazyPage(
  async () => (await import('../features/plan/my-service-page.tsx')).MyServicePage,
);
const DevicesPage = lazyPage(async () => (await import('../features/devices/devices-page.tsx')).DevicesPage);
const OrdersPage = lazyPage(async () => (await import('../features/orders/orders-page.tsx')).OrdersPage);
const MembersPage = lazyPage(async () => (await import('../features/members/members-page.tsx')).MembersPage);
const AddMemberPage = lazyPage(
  async () => (await import('../features/members/add-member-page.tsx')).AddMemberPage,
);
const ManageMiniAppsPage = lazyPage(
  async () => (await import('../features/manage-mini-apps/manage-mini-apps-page.tsx')).ManageMiniAppsPage,
);
const CreateMiniAppPage = lazyPage(
  async () => (await import('../features/manage-mini-apps/create-mini-app-page.tsx')).CreateMiniAppPage,
);
const EditMiniAppPage = lazyPage(
  async () => (await import('../features/manage-mini-apps/edit-mini-app-page.tsx')).EditMiniAppPage,
);
const DesktopOnlyPage = lazyPage(
  async () => (await import('../features/notice/desktop-only-page.tsx')).DesktopOnlyPage,
);

/** The pages that manage an account. The web console has some of them only as a notice (specification §2). */
export function manageRoutes(kind: 'desktop' | 'web' | 'webview'): RouteObject[] {
  const forms: RouteObject[] = [
    { path: '/members/add', element: <AddMemberPage /> },
    { path: '/apps/create', element: <CreateMiniAppPage /> },
    { path: '/apps/:id', element: <EditMiniAppPage /> },
  ];
  if (kind === 'web') {
    const notices = sections
      .filter((section) => section.desktopOnly)
      .map((section) => ({ path: section.path, element: <DesktopOnlyPage section={section} /> }));
    return [...notices, { element: <RequireGroupManager />, children: forms }];
  }
  return [
    { path: '/my-service', element: <MyServicePage /> },
    { path: '/devices', element: <DevicesPage /> },
    { path: '/orders', element: <OrdersPage /> },
    {
      element: <RequireGroupManager />,
      children: [
        { path: '/members', element: <MembersPage /> },
        { path: '/apps', element: <ManageMiniAppsPage /> },
        ...forms,
      ],
    },
  ];
}
