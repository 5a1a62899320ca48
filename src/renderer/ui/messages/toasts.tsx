import { IconAlertCircle, IconCircleCheck, IconX } from '@tabler/icons-react';
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type SyntheticEvent,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { toastAutoHideSeconds } from '#shared/constants.ts';
import { whileVisible } from '../../platform/while-visible.ts';
import { focusHeading } from '../focus/focus-heading.ts';
import { hideToast, toastStore, type Toast } from './toast.ts';
import classes from './toasts.module.css';

/**
 * Where toasts appear: on the page, or in the dialog on top of it. The live regions always exist, because a region that
 * appears with its text may not be read.
 */
export function Toasts() {
  const { toasts, dialogs } = useStore(toastStore);
  const dialog = dialogs.at(-1);
  const before = useRef<HTMLElement>(null);
  const rememberFocus = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget)) return;
    before.current = relatedTarget instanceof HTMLElement ? relatedTarget : null;
  };
  const returnFocus = () => {
    before.current?.focus();
    // The element that had it may be gone by now.
    if (document.activeElement !== before.current) focusHeading();
  };
  const items = (tone: Toast['tone']) =>
    toasts
      .filter((toast) => toast.tone === tone)
      .map((toast) => <ToastItem key={toast.id} toast={toast} onFocusGone={returnFocus} />);
  const place = (isUsed: boolean) => (
    <div className={classes.place} onFocus={rememberFocus}>
      <div aria-live="assertive">{isUsed && items('error')}</div>
      <div aria-live="polite">{isUsed && items('success')}</div>
    </div>
  );
  return (
    <>
      {place(!dialog)}
      {dialog && createPortal(place(true), dialog)}
    </>
  );
}

interface ToastItemProps {
  toast: Toast;
  /** The toast disappears together with the focused element. */
  onFocusGone: () => void;
}

/** Disappears by itself, but not while the pointer or the focus is on it, or nobody sees the page (WCAG 2.2, 2.2.1). */
function ToastItem({ toast, onFocusGone }: ToastItemProps) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  const item = useRef<HTMLDivElement>(null);
  const focusGone = useEffectEvent(onFocusGone);
  useLayoutEffect(() => {
    const element = item.current;
    return () => {
      if (element?.contains(document.activeElement)) focusGone();
    };
  }, []);
  useEffect(() => {
    if (held) return undefined;
    const hide = () => hideToast(toast.id);
    return whileVisible({ everyMs: toastAutoHideSeconds * 1000, action: hide, again: () => undefined });
  }, [toast.id, held]);
  // Whichever of the two has left, the other may still be there.
  const hold = ({ currentTarget }: SyntheticEvent) => setHeld(currentTarget.matches(':hover, :focus-within'));
  const Icon = toast.tone === 'error' ? IconAlertCircle : IconCircleCheck;
  return (
    // The live region around it announces it.
    <div
      ref={item}
      className={classes.toast}
      data-tone={toast.tone}
      onMouseEnter={hold}
      onMouseLeave={hold}
      onFocus={hold}
      onBlur={hold}
    >
      <Icon size={20} className={classes.icon} aria-hidden />
      <div className={classes.message}>{toast.message}</div>
      <button
        type="button"
        className={classes.close}
        aria-label={t('shell.notificationClose')}
        onClick={() => hideToast(toast.id)}
      >
        <IconX size={16} aria-hidden />
      </button>
    </div>
  );
}
