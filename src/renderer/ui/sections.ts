import type { TextKey } from '../i18n/texts.ts';

interface Section {
  path: string;
  title: TextKey;
  /** On the web these pages only say that the desktop app manages them (specification §2). */
  desktopOnly: boolean;
}

export const sections: readonly Section[] = [
  { path: '/devices', title: 'section.devices', desktopOnly: true },
  { path: '/my-service', title: 'section.service', desktopOnly: true },
  { path: '/purchase', title: 'section.purchase', desktopOnly: false },
  { path: '/orders', title: 'section.orders', desktopOnly: true },
  { path: '/members', title: 'section.members', desktopOnly: true },
  { path: '/apps', title: 'section.apps', desktopOnly: true },
];

/** Titles of the pages at and below the dashboard, by path. */
export const pageTitles: ReadonlyMap<string, TextKey> = new Map([
  ['/dashboard', 'shell.dashboard'],
  ['/logout', 'account.signOut'],
  ...sections.map(({ path, title }) => [path, title] as const),
]);
