/**
 * All addresses of the console's pages (specification §2, and the store). Everything else on the same origin, such as
 * the API, belongs to the service.
 */
export const consolePaths = [
  '/',
  '/dashboard',
  '/vpn',
  '/mini-apps',
  '/my-service',
  '/devices',
  '/orders',
  '/members',
  '/members/add',
  '/apps',
  '/apps/create',
  '/apps/:id',
  '/purchase',
  '/quick-start',
  '/x',
  '/pay/order',
  '/pay/confirming',
  '/about-us',
  '/settings',
  '/settings/connection-log',
  '/settings/problem-report',
  '/settings/licences',
  '/self-delete',
  '/logout',
  '/login',
  '/auth-verify',
  '/device-login',
  '/store/purchase',
  '/store/change-service',
  '/store/quick-start',
  '/store/confirming',
  '/store/events',
  '/store/privacy',
  '/wordgate/pay/:id',
] as const;

const pattern = new RegExp(
  `^(?:${consolePaths.map((path) => path.replaceAll(/:\w+/g, '[^/]+')).join('|')})/?$`,
);

export const isConsolePath = (pathname: string): boolean => pattern.test(pathname);
