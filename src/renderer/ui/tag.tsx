import type { ReactNode } from 'react';
import classes from './tag.module.css';

/** A short word of state. */
export function Tag({ tone, children }: { tone: 'good' | 'warn' | 'bad' | 'plain'; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}
