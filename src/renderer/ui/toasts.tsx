import { CloseButton } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { toastAutoHideSeconds } from '#shared/constants.ts';
import { hideToast, toastStore, type Toast } from './toast.ts';
import classes from './toasts.module.css';

/** Where toasts appear. The live regions are always there, because one that comes with its text may go unread. */
export function Toasts() {
  const { toasts } = useStore(toastStore);
  const items = (tone: Toast['tone']) =>
    toasts.filter((toast) => toast.tone === tone).map((toast) => <ToastItem key={toast.id} toast={toast} />);
  return (
    <div className={classes.place}>
      <div aria-live="assertive">{items('error')}</div>
      <div aria-live="polite">{items('success')}</div>
    </div>
  );
}

/** Goes by itself, but not while the pointer or the focus is on it (WCAG 2.2, 2.2.1). */
function ToastItem({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => hideToast(toast.id), toastAutoHideSeconds * 1000);
    return () => clearTimeout(timer);
  }, [toast.id, held]);
  const Icon = toast.tone === 'error' ? IconAlertCircle : IconCircleCheck;
  return (
    <div
      className={classes.toast}
      data-tone={toast.tone}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon className={classes.icon} size={20} aria-hidden />
      <p className={classes.message}>{toast.message}</p>
      <CloseButton size="sm" aria-label={t('shell.notificationClose')} onClick={() => hideToast(toast.id)} />
    </div>
  );
}
