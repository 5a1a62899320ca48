import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  name: string;
  value: ReactNode;
}

/** Names with their values, one per row, or in a grid if they are short. */
export function Facts({ facts, layout = 'rows' }: { facts: Fact[]; layout?: 'rows' | 'grid' }) {
  return (
    <dl className={classes.facts} data-layout={layout}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
