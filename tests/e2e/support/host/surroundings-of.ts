import type { DesktopApp, Surroundings } from './desktop-app.ts';

export function surroundingsOf(app: DesktopApp): Surroundings {
  if (!app.surroundings) throw new Error('nothing is known of what surrounds this window');
  return app.surroundings;
}

/** The lines of the tray icon's menu; undefined while there is no icon. */
export const trayLabels = async (desktop: Surroundings) =>
  (await desktop.tray())?.menu.filter(({ type }) => type !== 'separator').map(({ label }) => label);

/** What the box asks that waits for an answer. */
export const question = async (desktop: Surroundings) => (await desktop.messageBox())?.message;

export const notificationTitles = async (desktop: Surroundings) =>
  (await desktop.notifications()).map(({ title }) => title);
