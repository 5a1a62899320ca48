import { useTranslation } from 'react-i18next';
import type { UserLevel } from '#shared/entities.ts';
import { errorText } from '../../api/api-failure.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { Card } from '../../ui/card.tsx';
import { EmailText } from '../../ui/text/email-text.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { RoundIcon } from '../../ui/pictures/round-icon.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import classes from './account.module.css';
import { useUser } from '../session/use-user.ts';

const levelNames: Record<UserLevel, TextKey> = {
  1: 'account.level1',
  2: 'account.level2',
  3: 'account.level3',
};

export function ProfileCard() {
  const { t } = useTranslation();
  const { data: user, error, refetch } = useUser();
  return (
    <Card
      title={t('account.profile')}
      aside={user && <Tag tone="plain">{t(levelNames[user.profile.level])}</Tag>}
    >
      {user ? (
        <div className={classes.person}>
          <RoundIcon size="small">{user.email.charAt(0).toUpperCase()}</RoundIcon>
          <p className={classes.email}>
            <EmailText email={user.email} />
          </p>
        </div>
      ) : error ? (
        <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
      ) : (
        <Placeholder lines={2} />
      )}
    </Card>
  );
}
