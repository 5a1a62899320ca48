import { useTranslation } from 'react-i18next';
import { shortenedDays } from '#shared/plan/shortened-days.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { formatPeriod } from '../../i18n/format-period.ts';

interface SeatsWarningProps {
  /** What is about to be bought. */
  days: number;
  seats: number;
  /** The buyer's number of members. */
  members: number;
}

/** Buyers with more members than seats get less time, and should know that before they pay. */
export function SeatsWarning({ days, seats, members }: SeatsWarningProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const left = shortenedDays({ days, seats }, members);
  if (left === undefined) return null;
  return (
    <Message tone="warn" title={t('store.fewSeatsTitle')}>
      {t('store.fewSeatsText', {
        members,
        left: formatPeriod(left, language),
        period: formatPeriod(days, language),
      })}
    </Message>
  );
}
