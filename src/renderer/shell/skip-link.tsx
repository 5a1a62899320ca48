import { useTranslation } from 'react-i18next';
import classes from './skip-link.module.css';

/** The first element that the keyboard reaches: skips everything that is the same on each page. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href="#main"
      className={classes.skip}
      onClick={(event) => {
        // Done here, so that the fragment does not become an entry in the history.
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      {t('shell.skip')}
    </a>
  );
}
