import { useEffectEvent, useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useApp, useInApp } from '../../platform/host-context.tsx';
import { showToastsIn } from '../messages/toast.ts';
import { closeByBack } from './close-by-back.ts';
import classes from './dialog.module.css';

interface DialogProps {
  title: string;
  /** False: it is drawn shortly before it opens, but neither visible nor announced. */
  isOpen?: boolean;
  /**
   * It opens a frame later: making a whole page inert takes long, and whatever opened it should be drawn first. Not for
   * keys, since the next one would go to the page.
   */
  opensLater?: boolean;
  /** The user wants to leave without doing anything. */
  onClose: () => void;
  /** What has the focus first: the first control, or the title, so that nothing is pressed by accident. */
  focus?: 'first' | 'title';
  /** As tall as possible, for a longer list. */
  isTall?: boolean;
  /** Id of the element that describes it, which screen readers announce at once. */
  describedBy?: string;
  children: ReactNode;
}

/**
 * Requires an answer before anything else. It is the browser's own modal dialog, which keeps the focus inside, makes
 * the page behind inert, closes on Escape and returns the focus (HTML, 4.11.4).
 * In a webview, going back closes it, too; browsers of phones do that by themselves.
 */
export function Dialog(props: DialogProps) {
  const { title, isOpen = true, opensLater = false, onClose, focus = 'first' } = props;
  const { kind } = useApp();
  const inWebview = useInApp() && kind !== 'desktop';
  const titleId = useId();
  const onBack = useEffectEvent(onClose);
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the element is removed, because only a dialog that is closed returns the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!isOpen || !dialog) return undefined;
    let endToasts: (() => void) | undefined;
    let endBack: (() => void) | undefined;
    const open = () => {
      dialog.showModal();
      if (focus === 'title') heading.current?.focus();
      endToasts = showToastsIn(dialog);
      if (inWebview) endBack = closeByBack(() => onBack());
    };
    const frame = opensLater ? requestAnimationFrame(open) : undefined;
    if (frame === undefined) open();
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      endBack?.();
      endToasts?.();
      dialog.close();
    };
  }, [isOpen, opensLater, focus, inWebview]);
  return (
    <dialog
      ref={ref}
      className={classes.dialog}
      data-tall={props.isTall || undefined}
      aria-labelledby={titleId}
      aria-describedby={props.describedBy}
      onCancel={(event) => {
        // The caller decides whether it is open.
        event.preventDefault();
        onClose();
      }}
    >
      <div className={classes.content}>
        <h2
          ref={heading}
          id={titleId}
          // Only focusable if it should have the focus: otherwise the dialog would start with it.
          tabIndex={focus === 'title' ? -1 : undefined}
          className={classes.title}
        >
          {title}
        </h2>
        {props.children}
      </div>
    </dialog>
  );
}
