import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { TextKey } from '../../i18n/texts.ts';
import classes from './account.module.css';

/** Ways to other pages, one to a row. */
export function LinkList({ links }: { links: readonly { path: string; title: TextKey }[] }) {
  const { t } = useTranslation();
  return (
    <ul className={classes.links}>
      {links.map(({ path, title }) => (
        <li key={path}>
          <Link to={path} className={classes.link}>
            {t(title)}
            <IconChevronRight size={18} aria-hidden />
          </Link>
        </li>
      ))}
    </ul>
  );
}
