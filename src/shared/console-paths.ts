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

const templates = consolePaths.map((path) => path.split('/'));

function templateOf(segments: readonly string[]): readonly string[] | undefined {
  return templates.find(
    (template) =>
      template.length === segments.length &&
      template.every((part, i) => {
        const segment = segments[i] ?? '';
        return part.startsWith(':') ? segment !== '' : part === decoded(segment).toLowerCase();
      }),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * The one address of a page. The router also takes it with other letter case, percent-encoded, and with slashes at its
 * end; everything that compares paths would treat those as other pages.
 */
export function canonicalPath(pathname: string): string {
  const segments = pathname.replace(/(?<=.)\/+$/, '').split('/');
  const template = templateOf(segments);
  return segments
    .map((segment, i) => (template?.[i]?.startsWith(':') === false ? template[i] : segment))
    .join('/');
}

export const isConsolePath = (pathname: string): boolean =>
  templateOf(canonicalPath(pathname).split('/')) !== undefined;
