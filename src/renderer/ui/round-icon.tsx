import type { ReactNode } from 'react';
import classes from './round-icon.module.css';

interface RoundIconProps {
  children: ReactNode;
  /** Small beside a line of text. */
  size?: 'large' | 'small';
}

/** A picture or a letter with what a page has to say; it only decorates. */
export function RoundIcon({ children, size = 'large' }: RoundIconProps) {
  return (
    <span className={`${classes.icon} ${classes[size]}`} aria-hidden>
      {children}
    </span>
  );
}
