import { createStore } from 'zustand/vanilla';

export interface Toast {
  id: number;
  tone: 'error' | 'success';
  message: string;
}

interface ToastState {
  toasts: readonly Toast[];
  /** The modal dialogs that are open; the last one is on top. */
  dialogs: readonly Element[];
}

/** Short messages at the edge of the window; toasts.tsx shows them. */
export const toastStore = createStore<ToastState>(() => ({ toasts: [], dialogs: [] }));

let lastId = 0;

export const showError = (message: string): void => show('error', message);
export const showSuccess = (message: string): void => show('success', message);

export function hideToast(id: number): void {
  toastStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/**
 * Shows toasts in a modal dialog, until the returned function is called: what is outside of it is inert, so it is below
 * the backdrop, cannot be pressed, and is not announced (HTML, "Modal dialogs and inert subtrees").
 */
export function showToastsIn(dialog: Element): () => void {
  toastStore.setState(({ dialogs }) => ({ dialogs: [...dialogs, dialog] }));
  return () => toastStore.setState(({ dialogs }) => ({ dialogs: dialogs.filter((one) => one !== dialog) }));
}

/** Replaces a toast with the same message that is still shown. */
function show(tone: Toast['tone'], message: string): void {
  lastId += 1;
  const toast: Toast = { id: lastId, tone, message };
  toastStore.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.message !== message), toast],
  }));
}
