import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { isMember } from '../session/is-member.ts';
import { LinkList } from './link-list.tsx';
import { useUser } from '../session/use-user.ts';

const redeem = { path: '/x', title: 'redeem.title' } as const;
const others = [
  { path: '/about-us', title: 'about.title' },
  { path: '/self-delete', title: 'selfDelete.title' },
] as const;

/** Ways to the pages that are seldom needed. */
export function MoreCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const pays = user !== undefined && !isMember(user);
  return (
    <Card title={t('more.title')}>
      <LinkList links={pays ? [redeem, ...others] : others} />
    </Card>
  );
}
