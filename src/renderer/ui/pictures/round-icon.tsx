import type { ReactNode } from 'react';
import classes from './round-icon.module.css';

interface RoundIconProps {
  children: ReactNode;
  /** `small` for use beside a line of text. */
  size?: 'large' | 'small';
}

/** An icon or a letter beside a page's message; decorative. */
export function RoundIcon({ children, size = 'large' }: RoundIconProps) {
  return (
    <span className={`${classes.icon} ${classes[size]}`} aria-hidden>
      {children}
    </span>
  );
}
