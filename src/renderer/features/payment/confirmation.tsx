import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/api-failure.ts';
import { CenteredPanel } from '../../ui/centered-panel.tsx';
import { Message } from '../../ui/message.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';

interface ConfirmationProps {
  /** Stays while it is asked again, so that the page does not change under the user's hands. */
  failure: Error | undefined;
  isAsking: boolean;
  onAsk: () => void;
  /** Where to go if it fails. */
  children: ReactNode;
}

/** The service is asked whether an order is paid, or could not say so. */
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
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={t('confirm.failedText')}>
        {t('confirm.failed')}
      </PageHeading>
      {isAsking ? (
        <Placeholder lines={1} />
      ) : (
        <Message tone="bad" title={errorText(failure, t, 'confirm.error')} />
      )}
      <Button size="md" onClick={onAsk}>
        {t('confirm.retry')}
      </Button>
      {children}
    </CenteredPanel>
  );
}
