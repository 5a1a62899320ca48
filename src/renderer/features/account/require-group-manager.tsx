import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet } from 'react-router-dom';
import { errorText } from '../../api/api-failure.ts';
import type { TextKey } from '../../i18n/texts.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { ListPlaceholder } from '../../ui/list-placeholder.tsx';
import { LoadFailure } from '../../ui/load-failure.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { RoundIcon } from '../../ui/round-icon.tsx';
import { isMember } from '../session/is-member.ts';
import { useUser } from '../session/use-user.ts';

/** Routes under this one are for who pays for a group (levels 1 and 2); a child member is told so, and why. */
export function RequireGroupManager({ childText = 'manage.childText' }: { childText?: TextKey }) {
  const { t } = useTranslation();
  const { data: user, error, refetch } = useUser();
  if (user) return isMember(user) ? <PayerOnly text={childText} /> : <Outlet />;
  if (error) return <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />;
  return <ListPlaceholder />;
}

function PayerOnly({ text }: { text: TextKey }) {
  const { t } = useTranslation();
  return (
    <CenteredPanel>
      <RoundIcon>
        <IconLock />
      </RoundIcon>
      <PageHeading align="center" lead={t(text)}>
        {t('manage.childTitle')}
      </PageHeading>
      <Button component={Link} to="/dashboard" variant="default" size="md">
        {t('manage.childBack')}
      </Button>
    </CenteredPanel>
  );
}
