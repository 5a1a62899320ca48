import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router-dom';
import classes from './main-landmark.module.css';

/** The one main landmark, with the page in it, and the link that skips to it. */
export function Main({ children }: { children?: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={classes.main}>
      {children}
      <Outlet />
    </main>
  );
}

export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href="#main"
      className={classes.skip}
      onClick={(event) => {
        // By hand, so that the fragment does not become a place in the router's history.
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      {t('shell.skip')}
    </a>
  );
}
