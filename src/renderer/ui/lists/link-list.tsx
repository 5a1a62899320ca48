import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '#shared/texts/texts.ts';
import { ExternalLink } from '../text/external-link.tsx';
import classes from './link-list.module.css';
import { Link } from '../text/link.tsx';

interface ListedLink {
  path: string;
  title: TextKey;
  /** The operator's address for it, if it is not one of our pages. */
  address?: string | undefined;
}

/** Links to other pages, one per row. */
export function LinkList({ links }: { links: readonly ListedLink[] }) {
  const { t } = useTranslation();
  return (
    <ul role="list" className={classes.links}>
      {links.map(({ path, title, address }) => (
        <li key={path}>
          {address === undefined ? (
            <Link to={path} className={classes.link}>
              {t(title)}
              <IconChevronRight size={18} aria-hidden />
            </Link>
          ) : (
            <ExternalLink href={address} className={classes.link}>
              {t(title)}
            </ExternalLink>
          )}
        </li>
      ))}
    </ul>
  );
}
