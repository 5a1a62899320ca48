import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { pageTitle } from '../ui/pages/sections.ts';
import classes from './breadcrumbs.module.css';
import { Link } from '../ui/text/link.tsx';

/** The page's place below the dashboard. Other pages have none. */
export function Breadcrumbs() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const title = pageTitle(pathname);
  if (title === undefined) return null;
  const parent = pathname.slice(0, pathname.lastIndexOf('/'));
  const parentTitle = pageTitle(parent);
  return (
    <nav className={classes.crumbs} aria-label={t('shell.breadcrumbs')}>
      {pathname !== '/dashboard' && (
        <>
          <Link to="/dashboard">{t('shell.dashboard')}</Link>
          <Separator />
        </>
      )}
      {parentTitle && (
        <>
          <Link to={parent}>{t(parentTitle)}</Link>
          <Separator />
        </>
      )}
      <span aria-current="page">{t(title)}</span>
    </nav>
  );
}

const Separator = () => (
  <span className={classes.separator} aria-hidden>
    /
  </span>
);
