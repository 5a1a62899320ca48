import type { ReactNode } from 'react';
import classes from './list.module.css';

interface ListProps {
  label: string;
  children: ReactNode;
  className?: string | undefined;
}

/** Things of one kind: one to a row, unless a class lays them out in another way. */
export function List({ label, children, className = classes.list }: ListProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- Safari forgets the role where list-style is none
    <ul role="list" aria-label={label} className={className}>
      {children}
    </ul>
  );
}
