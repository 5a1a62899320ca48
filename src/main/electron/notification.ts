import { Notification } from 'electron';

/** Of those that are shown: Electron forgets one that nobody holds, and then nothing happens on a click. */
const shown = new Set<Notification>();

/** Shows a notification where the system has any. */
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
