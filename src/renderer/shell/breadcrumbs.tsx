import { Breadcrumbs as MantineBreadcrumbs } from '@mantine/core';
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
    <MantineBreadcrumbs
      component="nav"
      classNames={{ root: classes.crumbs, separator: classes.separator }}
      separator={<span aria-hidden>/</span>}
      aria-label={t('shell.breadcrumbs')}
    >
      {pathname !== '/dashboard' && <Link to="/dashboard">{t('shell.dashboard')}</Link>}
      {parentTitle && <Link to={parent}>{t(parentTitle)}</Link>}
      <span aria-current="page">{t(title)}</span>
    </MantineBreadcrumbs>
  );
}
