import type { ReactNode, Ref } from 'react';
import classes from './list.module.css';

interface ListProps {
  label: string;
  /** The list can be given the focus, for when the row that had it is gone. */
  ref?: Ref<HTMLUListElement>;
  children: ReactNode;
}

/** Things of one kind, one to a row. */
export function List({ label, ref, children }: ListProps) {
  return (
    // The role is said because Safari forgets it where list-style is none.
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles
    <ul ref={ref} role="list" tabIndex={-1} aria-label={label} className={classes.list}>
      {children}
    </ul>
  );
}
