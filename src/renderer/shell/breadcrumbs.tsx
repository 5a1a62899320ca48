import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { pageTitle } from '../ui/sections.ts';
import classes from './breadcrumbs.module.css';

/** Where the page stands, below the dashboard. Pages outside of it have none. */
export function Breadcrumbs() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const title = pageTitle(pathname);
  if (title === undefined) return null;
  const parent = pathname.slice(0, pathname.lastIndexOf('/'));
  const parentTitle = pageTitle(parent);
  return (
    <nav aria-label={t('shell.breadcrumbs')}>
      <ol className={classes.crumbs}>
        {pathname !== '/dashboard' && (
          <li>
            <Link to="/dashboard">{t('shell.dashboard')}</Link>
          </li>
        )}
        {parentTitle && (
          <li>
            <Link to={parent}>{t(parentTitle)}</Link>
          </li>
        )}
        <li aria-current="page">{t(title)}</li>
      </ol>
    </nav>
  );
}
