import { useTranslation } from 'react-i18next';
import { webAddress } from '#shared/host/web-address.ts';
import { useApi } from '../../api/use-api.ts';
import { useOutsideAddress } from '../../api/use-service-link.ts';
import { Card } from '../../ui/card.tsx';
import { isMember } from '../session/is-member.ts';
import { LinkList } from '../../ui/lists/link-list.tsx';
import { useUser } from '../session/use-user.ts';

/** Links to pages that are seldom needed. */
export function MoreCard() {
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: info } = useApi('basicInfo');
  const deletion = useOutsideAddress('delete_account_url', '/self-delete');
  const pays = user !== undefined && !isMember(user);
  const offers = info && webAddress(info.links.seller_event_url);
  return (
    <Card title={t('more.title')}>
      <LinkList
        links={[
          { path: '/settings', title: 'section.settings' } as const,
          ...(pays ? [{ path: '/x', title: 'redeem.title' } as const] : []),
          ...(pays && offers ? [{ path: 'offers', title: 'more.offers', address: offers } as const] : []),
          { path: '/about-us', title: 'about.title' },
          { path: '/self-delete', title: 'selfDelete.title', address: deletion },
        ]}
      />
    </Card>
  );
}
