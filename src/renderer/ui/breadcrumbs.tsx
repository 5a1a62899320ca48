import { useTranslation } from 'react-i18next';
import { Link, useMatches } from 'react-router-dom';
import type { TextKey } from '../i18n/texts.ts';
import classes from './breadcrumbs.module.css';

/** What a route says about itself to the layout around it. */
export interface RouteHandle {
  crumb: TextKey;
}

/** Where the page stands, below the dashboard. */
export function Breadcrumbs() {
  const { t } = useTranslation();
  const matches = useMatches();
  const here = matches.at(-1);
  if (!isRouteHandle(here?.handle)) return null;
  const isDashboard = here.pathname === '/dashboard';
  return (
    <nav aria-label={t('shell.breadcrumbs')}>
      <ol className={classes.crumbs}>
        {!isDashboard && (
          <li>
            <Link to="/dashboard">{t('shell.dashboard')}</Link>
          </li>
        )}
        <li aria-current="page">{t(here.handle.crumb)}</li>
      </ol>
    </nav>
  );
}

function isRouteHandle(handle: unknown): handle is RouteHandle {
  return typeof handle === 'object' && handle !== null && 'crumb' in handle;
}
