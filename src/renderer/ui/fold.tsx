import { IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './fold.module.css';

interface FoldProps {
  summary: ReactNode;
  isUnfolded: boolean;
  onUnfold: (isUnfolded: boolean) => void;
  children: ReactNode;
}

/** Content that is shown on demand, below a line that is always there. */
export function Fold({ summary, isUnfolded, onUnfold, children }: FoldProps) {
  return (
    <details
      className={classes.fold}
      open={isUnfolded}
      onToggle={({ currentTarget }) => onUnfold(currentTarget.open)}
    >
      <summary>
        <IconChevronRight size={18} aria-hidden className={classes.mark} />
        {summary}
      </summary>
      {children}
    </details>
  );
}
