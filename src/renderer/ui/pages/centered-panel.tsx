import type { ReactNode } from 'react';
import classes from './centered-panel.module.css';

/** A page with one short column: a question, a notice, a form with one field. */
export function CenteredPanel({ children }: { children: ReactNode }) {
  return (
    <div className={classes.place}>
      <div className={classes.panel}>{children}</div>
    </div>
  );
}
