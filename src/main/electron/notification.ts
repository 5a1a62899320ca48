import { Notification } from 'electron';

/** Notifications that are shown. Electron drops a notification without references, and clicks on it then do nothing. */
const shown = new Set<Notification>();

/** Shows a notification if the system supports them. */
export function notify({
  title,
  text,
  onClick,
}: {
  title: string;
  text?: string | undefined;
  onClick: () => void;
}): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, ...(text !== undefined && { body: text }) });
  shown.add(notification);
  notification.on('click', onClick);
  notification.on('close', () => shown.delete(notification));
  notification.on('failed', () => shown.delete(notification));
  notification.show();
}
