import type { ReactNode } from 'react';
import classes from './list.module.css';

interface ListProps {
  label: string;
  children: ReactNode;
  className?: string | undefined;
}

/** Items of one kind: one per row, unless a class arranges them differently. */
export function List({ label, children, className = classes.list }: ListProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- Safari forgets the role where list-style is none
    <ul role="list" aria-label={label} className={className}>
      {children}
    </ul>
  );
}
