import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import { formatMinutes } from '../../i18n/format.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { useServiceNow } from '../../ui/time/use-service-now.ts';

/** Minutes before a trial's end at which it is announced: every second would be noise. */
const milestones = [1, 10, 60];

/** Announces the approaching end of a group's trial to screen readers. What was shown on arrival is not announced. */
export function TrialAnnouncement({ group }: { group: ServerGroup | undefined }) {
  if (!group?.isTrial || group.trialExpiredAt === null) return null;
  return <Announcement trialExpiredAt={group.trialExpiredAt} />;
}

function Announcement({ trialExpiredAt }: { trialExpiredAt: string }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const minutes = (Date.parse(trialExpiredAt) - useServiceNow(1)) / 60_000;
  const milestone = milestones.find((limit) => minutes <= limit);
  const [onArrival] = useState(milestone);
  return (
    <VisuallyHidden aria-live="polite">
      {milestone !== undefined &&
        milestone !== onArrival &&
        t('connect.trialSoon', { time: formatMinutes(milestone, language) })}
    </VisuallyHidden>
  );
}
