import { Card as MantineCard } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './card.module.css';

/** A titled group of facts or controls. `aside` is opposite the title. */
export function Card({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const titleId = useId();
  return (
    <MantineCard component="section" withBorder className={classes.card} aria-labelledby={titleId}>
      <div className={classes.top}>
        <h2 id={titleId} className={classes.title}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </MantineCard>
  );
}
