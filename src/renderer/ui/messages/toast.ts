import { createStore } from 'zustand/vanilla';

export interface Toast {
  id: number;
  tone: 'error' | 'success';
  message: string;
}

/** Short messages at the edge of the window; toasts.tsx shows them. */
export const toastStore = createStore<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

let lastId = 0;

export const showError = (message: string): void => show('error', message);
export const showSuccess = (message: string): void => show('success', message);

export function hideToast(id: number): void {
  toastStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Replaces a toast with the same message that is still shown. */
function show(tone: Toast['tone'], message: string): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, message };
  toastStore.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.message !== message), toast],
  }));
}
