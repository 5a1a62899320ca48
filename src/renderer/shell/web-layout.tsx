import { useTranslation } from 'react-i18next';
import { useApi } from '../api/use-api.ts';
import { useSession } from '../features/session/session-context.tsx';
import { useInApp } from '../platform/host-context.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { ExternalLink } from '../ui/text/external-link.tsx';
import { Logo } from '../ui/pictures/logo.tsx';
import { Main } from '../ui/pages/main-landmark.tsx';
import { PlainButtonLink } from '../ui/buttons/plain-button.tsx';
import { sections } from '../ui/pages/sections.ts';
import classes from './web-layout.module.css';
import { Link } from '../ui/text/link.tsx';

/** The frame of the web console's pages (specification §2). Inside an app, only a back link is needed. */
export function WebLayout() {
  const inApp = useInApp();
  return (
    <div className={classes.layout}>
      {!inApp && <WebHeader />}
      <Main>
        <Breadcrumbs />
      </Main>
      {!inApp && <WebFooter />}
    </div>
  );
}

function WebHeader() {
  const { t } = useTranslation();
  const { signedIn } = useSession();
  return (
    <header className={classes.header}>
      <div className={classes.bar}>
        <Link to="/" className={classes.home} aria-label={t('shell.home')}>
          <Logo />
        </Link>
        <PlainButtonLink to={signedIn ? '/dashboard' : '/login'} variant="default">
          {signedIn ? t('shell.dashboard') : t('shell.login')}
        </PlainButtonLink>
      </div>
    </header>
  );
}

function WebFooter() {
  const { t } = useTranslation();
  const { data: info } = useApi('basicInfo');
  return (
    <footer className={classes.footer}>
      <nav aria-label={t('shell.footerNavigation')} className={classes.bar}>
        <ul className={classes.links}>
          {sections.map(({ path, title }) => (
            <li key={path}>
              <Link to={path} className={classes.link}>
                {t(title)}
              </Link>
            </li>
          ))}
          {info && (
            <li>
              <ExternalLink href={info.links.user_privacy_url} className={classes.link}>
                {t('section.privacy')}
              </ExternalLink>
            </li>
          )}
        </ul>
      </nav>
    </footer>
  );
}
