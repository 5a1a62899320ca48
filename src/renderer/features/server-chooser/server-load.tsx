import type { TFunction } from 'i18next';
import classes from './server-load.module.css';

/** How busy a server is, as a drawing and in words. */
export function ServerLoad({ t, load }: { t: TFunction; load: number }) {
  const level = levelOf(load);
  return (
    <span className={classes.load} data-level={level}>
      <span className={classes.bar} aria-hidden>
        <span className={classes.used} style={{ inlineSize: `${Math.round(load * 100)}%` }} />
      </span>
      <span>{t(`servers.${level}`)}</span>
    </span>
  );
}

function levelOf(load: number): 'quiet' | 'busy' | 'full' {
  if (load < 0.6) return 'quiet';
  return load < 0.85 ? 'busy' : 'full';
}
