import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import classes from './dialog.module.css';

interface DialogProps {
  title: string;
  /** False: it is drawn, for the moment in which it is to open, but neither seen nor heard. */
  isOpen?: boolean;
  /** The user wants to leave without doing anything. */
  onClose: () => void;
  /** What has the focus first: the first thing to press, or nothing that could be pressed by accident. */
  focus?: 'first' | 'title';
  /** As tall as there is room, for a list that is longer. */
  isTall?: boolean;
  /** Id of the element that says what it is about, for screen readers to read at once. */
  describedBy?: string;
  children: ReactNode;
}

/**
 * Asks for an answer before anything else. The browser's own modal dialog: it keeps the focus inside, makes
 * the page behind inert, closes on Escape and gives the focus back (HTML, 4.11.4).
 */
export function Dialog(props: DialogProps) {
  const { title, isOpen = true, onClose, focus = 'first', isTall, describedBy, children } = props;
  const titleId = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the element is taken away, because only one that closes gives the focus back.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const dialog = ref.current;
    dialog?.showModal();
    if (focus === 'title') heading.current?.focus();
    return () => dialog?.close();
  }, [isOpen, focus]);
  return (
    <dialog
      ref={ref}
      className={classes.dialog}
      data-tall={isTall || undefined}
      aria-labelledby={titleId}
      aria-describedby={describedBy}
      onCancel={(event) => {
        // Open or not is the caller's to say.
        event.preventDefault();
        onClose();
      }}
    >
      <div className={classes.content}>
        <h2
          ref={heading}
          id={titleId}
          // Focusable only where it is meant to be: the dialog would begin with it.
          tabIndex={focus === 'title' ? -1 : undefined}
          className={classes.title}
        >
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
