import type { ReactNode } from 'react';
import classes from './empty.module.css';
import { RoundIcon } from '../pictures/round-icon.tsx';

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text: string;
  action?: ReactNode;
}

/** Shown instead of an empty list. */
export function Empty({ icon, title, text, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <RoundIcon>{icon}</RoundIcon>
      <p className={classes.title}>{title}</p>
      <p className={classes.text}>{text}</p>
      {action}
    </div>
  );
}
