import type { ReactNode } from 'react';
import classes from './round-icon.module.css';

/** A picture above what a page has to say; it only decorates. */
export function RoundIcon({ children }: { children: ReactNode }) {
  return (
    <span className={classes.icon} aria-hidden>
      {children}
    </span>
  );
}
