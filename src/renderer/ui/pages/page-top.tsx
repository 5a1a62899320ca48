import { IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '#shared/texts/texts.ts';
import { useApp } from '../../platform/host-context.tsx';
import classes from './page-top.module.css';
import { Link } from '../text/link.tsx';

interface PageTopProps {
  /**
   * The parent page; the web console has its breadcrumbs instead. `besideTabs`: if the tabs are beside the page, they
   * already link to it.
   */
  back: { to: string; title: TextKey; besideTabs?: 'hidden' };
  /** The page's main action. It keeps its place, and so the focus, while the page loads. */
  action?: ReactNode;
  /** The page's heading. */
  children: ReactNode;
}

/** The top of a page below the account: the back link, the heading, and the main action. */
export function PageTop({ back, action, children }: PageTopProps) {
  const { t } = useTranslation();
  const { kind } = useApp();
  return (
    <div className={classes.top}>
      {kind !== 'web' && (
        <Link to={back.to} className={classes.back} data-beside-tabs={back.besideTabs}>
          <IconChevronLeft size={18} aria-hidden />
          {t(back.title)}
        </Link>
      )}
      <div className={classes.row}>
        {children}
        {action}
      </div>
    </div>
  );
}
