import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { maxClockErrorMs } from '#shared/api/service-clock.ts';
import { formatClockError } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { serviceOffset } from '../../platform/service-time.ts';
import { Message } from '../../ui/messages/message.tsx';

/** Says that this device's clock is wrong, as long as it is. */
export function ClockNotice() {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const offset = useStore(serviceOffset);
  if (Math.abs(offset) <= maxClockErrorMs) return null;
  const time = formatClockError(offset, language);
  return (
    <Message tone="warn" title={t('clock.title')}>
      {t(offset < 0 ? 'clock.ahead' : 'clock.behind', { time })}
    </Message>
  );
}
