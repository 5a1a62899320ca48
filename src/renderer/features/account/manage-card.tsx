import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Card } from '../../ui/card.tsx';
import { sections } from '../../ui/sections.ts';
import classes from './account.module.css';

/** Ways to the account's other pages. */
export function ManageCard() {
  const { t } = useTranslation();
  return (
    <Card title={t('account.manage')}>
      <ul className={classes.links}>
        {sections.map(({ path, title }) => (
          <li key={path}>
            <Link to={path} className={classes.link}>
              {t(title)}
              <IconChevronRight size={18} aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
