import { useTranslation } from 'react-i18next';
import { trialEndingHours } from '#shared/constants.ts';
import { formatTimeLeft } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';

/** Shows that a group is on trial, and for how long. Screen readers do not announce the countdown. */
export function TrialTag({ trialExpiredAt }: { trialExpiredAt: string | null }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const now = useServiceNow(1);
  if (trialExpiredAt === null) return <Tag tone="plain">{t('connect.trial')}</Tag>;
  const seconds = (Date.parse(trialExpiredAt) - now) / 1000;
  const isEnding = seconds < trialEndingHours * 3600;
  return (
    <Tag tone={isEnding ? 'warn' : 'plain'}>
      {t('connect.trialLeft', { time: formatTimeLeft(seconds, language) })}
    </Tag>
  );
}
