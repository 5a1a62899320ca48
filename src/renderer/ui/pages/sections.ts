import type { TextKey } from '#shared/texts/texts.ts';

export type ManageLink = 'manage_apps' | 'manage_members' | 'manage_servers';

export interface Section {
  path: string;
  title: TextKey;
  /** On the web, these pages only say that the desktop app manages them (specification §2). */
  desktopOnly: boolean;
  /** The link in basic info with which an operator can have it managed elsewhere. */
  link?: ManageLink;
  /** Not for a child member, who uses somebody else's plan (specification §6). */
  payerOnly?: true;
}

export const sections: readonly Section[] = [
  { path: '/devices', title: 'section.devices', desktopOnly: true },
  { path: '/my-service', title: 'section.service', desktopOnly: true, link: 'manage_servers' },
  { path: '/purchase', title: 'section.purchase', desktopOnly: false, payerOnly: true },
  { path: '/orders', title: 'section.orders', desktopOnly: true },
  { path: '/members', title: 'section.members', desktopOnly: true, link: 'manage_members', payerOnly: true },
  { path: '/apps', title: 'section.apps', desktopOnly: true, link: 'manage_apps', payerOnly: true },
];

/** Titles of the pages at and below the dashboard, by path. */
const pageTitles: ReadonlyMap<string, TextKey> = new Map([
  ['/dashboard', 'shell.dashboard'],
  ['/settings', 'section.settings'],
  ['/settings/licences', 'settings.licences'],
  ['/logout', 'account.signOut'],
  ['/x', 'redeem.title'],
  ['/pay/order', 'pay.title'],
  ['/pay/confirming', 'pay.title'],
  ['/about-us', 'about.title'],
  ['/settings/problem-report', 'report.title'],
  ['/settings/connection-log', 'connectionLog.title'],
  ['/self-delete', 'selfDelete.title'],
  ['/members/add', 'members.addTitle'],
  ['/apps/create', 'appForm.createTitle'],
  ...sections.map(({ path, title }) => [path, title] as const),
]);

/** A page's title, if it is at or below the dashboard. */
export function pageTitle(pathname: string): TextKey | undefined {
  return pageTitles.get(pathname) ?? (/^\/apps\/[^/]+$/.test(pathname) ? 'appForm.editTitle' : undefined);
}
