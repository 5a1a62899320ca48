import { IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '#shared/texts/texts.ts';
import { useApp } from '../platform/host-context.tsx';
import classes from './page-top.module.css';
import { Link } from './link.tsx';

interface PageTopProps {
  /**
   * The page above; the web console has its breadcrumbs instead. `besideTabs`: where the tabs stand beside the page, they
   * lead to this page, and away from it.
   */
  back: { to: string; title: TextKey; besideTabs?: 'hidden' };
  /** What the page is there to do. It keeps its place while the page loads, and with it the focus. */
  action?: ReactNode;
  /** The page's heading. */
  children: ReactNode;
}

/** The head of a page below the account: the way back, the heading, and the main action opposite it. */
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
