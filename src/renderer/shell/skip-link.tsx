import { useTranslation } from 'react-i18next';
import classes from './skip-link.module.css';

/** The first thing the keyboard reaches: past everything that is the same on each page. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href="#main"
      className={classes.skip}
      onClick={(event) => {
        // By hand, so that the fragment does not become a place in the history.
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      {t('shell.skip')}
    </a>
  );
}
