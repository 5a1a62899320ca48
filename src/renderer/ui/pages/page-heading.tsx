import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { hasBeenElsewhere } from './document-start.ts';
import classes from './page-heading.module.css';
import { isFocusLost, noteFocusBeforeLeaving } from '../focus/lost-focus.ts';
import { useOnArrival } from '../use-on-arrival.ts';

interface PageHeadingProps {
  children: string;
  lead?: ReactNode;
  /** Off if the page moves the focus somewhere better, such as its only field. */
  takesFocus?: boolean;
  align?: 'start' | 'center';
}

/** A page's h1: sets the document's title, and takes the focus after navigation, including going back. */
export function PageHeading({ children, lead, takesFocus = true, align = 'start' }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  useEffect(() => {
    document.title = `${children} · Waymaker`;
  }, [children]);
  useLayoutEffect(() => noteFocusBeforeLeaving, []);
  // A later change must not take the focus away from what the user is doing.
  useOnArrival(() => {
    if (takesFocus && (hasBeenElsewhere(key) || isFocusLost())) heading.current?.focus();
  });
  return (
    <header className={classes.header} data-align={align}>
      <h1 ref={heading} tabIndex={-1} className={classes.heading}>
        {children}
      </h1>
      {lead && <p className={classes.lead}>{lead}</p>}
    </header>
  );
}
