import { useTranslation } from 'react-i18next';
import classes from './placeholder.module.css';

/** Stands for lines of text that are on their way. */
export function Placeholder({ lines }: { lines: number }) {
  const { t } = useTranslation();
  return (
    <output className={classes.placeholder} aria-label={t('shell.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={classes.line} />
      ))}
    </output>
  );
}
