import { useTranslation } from 'react-i18next';
import classes from './list.module.css';
import { PlaceholderLines } from '../loading/placeholder.tsx';
import lineClasses from '../loading/placeholder.module.css';

/** Placeholder for a list's rows that are being loaded. */
export function ListPlaceholder({ rows = 3 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <output className={classes.list} aria-label={t('shell.loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={classes.item}>
          <span className={classes.icon} />
          <span className={`${classes.body} ${lineClasses.placeholder}`}>
            <PlaceholderLines lines={2} />
          </span>
        </span>
      ))}
    </output>
  );
}
