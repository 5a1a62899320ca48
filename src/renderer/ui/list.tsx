import type { ReactNode } from 'react';
import classes from './list.module.css';

/** Things of one kind, one to a row. */
export function List({ label, children }: { label: string; children: ReactNode }) {
  return (
    // The role is said because Safari forgets it where list-style is none.
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles
    <ul role="list" aria-label={label} className={classes.list}>
      {children}
    </ul>
  );
}
