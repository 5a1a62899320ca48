import type { ReactNode } from 'react';
import classes from './list.module.css';

interface ListProps {
  label: string;
  children: ReactNode;
  className?: string | undefined;
}

/**
 * Items of one kind: one per row, unless a class arranges them differently. Safari forgets the role of a list whose
 * list-style is none, so it is named, here and wherever else.
 */
export function List({ label, children, className = classes.list }: ListProps) {
  return (
    <ul role="list" aria-label={label} className={className}>
      {children}
    </ul>
  );
}
