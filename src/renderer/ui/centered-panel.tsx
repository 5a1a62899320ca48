import type { ReactNode } from 'react';
import classes from './centered-panel.module.css';

/** A page that is one short column: a question, a notice, a form of one field. */
export function CenteredPanel({ children }: { children: ReactNode }) {
  return (
    <div className={classes.place}>
      <div className={classes.panel}>{children}</div>
    </div>
  );
}
