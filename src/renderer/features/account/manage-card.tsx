import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { sections } from '../../ui/pages/sections.ts';
import { isMember } from '../session/is-member.ts';
import { LinkList } from '../../ui/lists/link-list.tsx';
import { useUser } from '../session/use-user.ts';

/** Links to the account's other pages, except those that are not for this user. */
export function ManageCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const pays = user !== undefined && !isMember(user);
  return (
    <Card title={t('account.manage')}>
      <LinkList links={sections.filter(({ payerOnly }) => pays || !payerOnly)} />
    </Card>
  );
}
