import { Notification } from 'electron';
import type { Notice, NoticeSubject } from '../desktop-notices.ts';

/** Notifications that are shown. Electron drops a notification without references, and clicks on it then do nothing. */
const shown = new Set<Notification>();

/**
 * The last one about each subject. It is kept when it has left the screen: Windows has it in its list all the same, and
 * only then can it be taken out of there.
 */
const last = new Map<NoticeSubject, Notification>();

/** Shows a notification if the system supports them, in the place of the last one about the same subject. */
export function notify({
  title,
  text,
  subject,
  onClick,
}: Notice & { subject?: NoticeSubject; onClick: () => void }): void {
  if (subject !== undefined) withdraw(subject);
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, ...(text !== undefined && { body: text }) });
  shown.add(notification);
  if (subject !== undefined) last.set(subject, notification);
  notification.on('click', onClick);
  notification.on('close', () => shown.delete(notification));
  notification.on('failed', () => shown.delete(notification));
  notification.show();
}

/** Takes the last one about this subject off the screen, and out of the system's list. */
export function withdraw(subject: NoticeSubject): void {
  last.get(subject)?.close();
  last.delete(subject);
}
