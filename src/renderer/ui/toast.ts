import { notifications } from '@mantine/notifications';

/** Short messages at the edge of the window. A failure interrupts a screen reader, a success waits its turn. */
export function showError(message: string): void {
  notifications.show({ id: `error:${message}`, message, color: 'red', role: 'alert' });
}

export function showSuccess(message: string): void {
  notifications.show({ id: `success:${message}`, message, color: 'green', role: 'status' });
}
