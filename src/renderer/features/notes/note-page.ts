import { matchPath } from 'react-router-dom';
import type { PageNoteId } from '#shared/entities.ts';
import type { AppDescription } from '../../platform/host-context.tsx';
import { sections } from '../../ui/pages/sections.ts';

/** The ids by which the service knows pages that can show a note (specification §2); the first match counts. */
const notePages: readonly [path: string, id: PageNoteId][] = [
  ['/login', 'vpn-welcome'],
  ['/dashboard', 'vpn-account'],
  ['/my-service', 'vpn-my-service'],
  ['/purchase', 'vpn-purchase'],
  ['/quick-start', 'vpn-quick-start'],
  ['/x', 'vpn-coupon-consume'],
  ['/devices', 'vpn-device-list'],
  ['/orders', 'vpn-order-list'],
  ['/members', 'vpn-member-list'],
  ['/members/add', 'vpn-member-add'],
  ['/apps', 'vpn-app-list'],
  ['/apps/create', 'vpn-app-add'],
  ['/apps/:id', 'vpn-app-edit'],
  ['/pay/order', 'vpn-pay'],
  ['/pay/confirming', 'vpn-pay-confirm'],
];

/** The note id of a page, if it has one. Pages that the web console only shows as a notice have none. */
export function notePageOf(pathname: string, kind: AppDescription['kind']): PageNoteId | undefined {
  const noticeOnly =
    kind === 'web' && sections.some(({ path, desktopOnly }) => desktopOnly && path === pathname);
  if (noticeOnly) return undefined;
  return notePages.find(([path]) => matchPath(path, pathname))?.[1];
}
