import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { ListPlaceholder } from '../../ui/lists/list-placeholder.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PayerOnly } from './payer-only.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';

/** Routes below this one are for people who pay for a group (levels 1 and 2); a child member sees why. */
export function RequireGroupManager({ childText = 'manage.childText' }: { childText?: TextKey }) {
  const { t } = useTranslation();
  const { data: user, error, refetch } = useUser();
  if (user) return isMember(user) ? <PayerOnly text={childText} /> : <Outlet />;
  if (error) return <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />;
  return <ListPlaceholder />;
}
