import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Card } from '../../ui/card.tsx';
import { sections } from '../../ui/sections.ts';
import classes from './account.module.css';
import { isMember } from './is-member.ts';
import { useUser } from './use-user.ts';

/** Ways to the account's other pages, but those that are not for this user. */
export function ManageCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const pays = user !== undefined && !isMember(user);
  const offered = sections.filter(({ payerOnly }) => pays || !payerOnly);
  return (
    <Card title={t('account.manage')}>
      <ul className={classes.links}>
        {offered.map(({ path, title }) => (
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
