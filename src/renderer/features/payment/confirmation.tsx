import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { apiCode } from '#shared/api/result.ts';
import { errorText, refusalCode } from '../../api/api-failure.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';

/** Why an order is not paid. If it is `open`, asking again makes sense. */
export type NotPaid = 'open' | 'declined' | 'unknown';

interface ConfirmationProps {
  /** Kept while asking again, so that the page does not change under the user's hands. */
  failure: Error | undefined;
  isAsking: boolean;
  onAsk: () => void;
  /** Where to go after a failure. */
  children: (notPaid: NotPaid) => ReactNode;
}

function whyNotPaid(failure: Error): NotPaid {
  const code = refusalCode(failure);
  if (code === apiCode.paymentDeclined) return 'declined';
  return code === apiCode.notFound ? 'unknown' : 'open';
}

const leads = {
  open: 'confirm.failedText',
  declined: 'confirm.declinedText',
  unknown: undefined,
} as const satisfies Record<NotPaid, TextKey | undefined>;

/** Shows that the service is being asked whether an order is paid, or could not say so. */
export function Confirmation({ failure, isAsking, onAsk, children }: ConfirmationProps) {
  const { t } = useTranslation();
  if (!failure) {
    return (
      <CenteredPanel>
        <PageHeading align="center" lead={t('confirm.wait')}>
          {t('confirm.loading')}
        </PageHeading>
        <Placeholder lines={2} />
      </CenteredPanel>
    );
  }
  const notPaid = whyNotPaid(failure);
  const lead = leads[notPaid];
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={lead && t(lead)}>
        {t('confirm.failed')}
      </PageHeading>
      {isAsking ? (
        <Placeholder lines={1} />
      ) : (
        <Message tone="bad" title={errorText(failure, t, 'confirm.error')} />
      )}
      {notPaid === 'open' && (
        <Button size="md" onClick={onAsk}>
          {t('confirm.retry')}
        </Button>
      )}
      {children(notPaid)}
    </CenteredPanel>
  );
}
