import { Button } from '@mantine/core';
import { useParams } from 'react-router-dom';
import { useTranslation } from 'react-i18next';
import { apiCode } from '#shared/api/result.ts';
import { errorText, refusalCode } from '../../api/api-failure.ts';
import { useApi } from '../../api/use-api.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { Link } from '../../ui/text/link.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { Placeholder } from '../../ui/loading/placeholder.tsx';
import { SandboxPayment } from './sandbox-payment.tsx';

/** The payment page of the sandbox, which plays another company, so the console's frame is not around it. */
export function SandboxPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams();
  const handles = [apiCode.notFound, apiCode.unavailable];
  const payment = useApi('sandboxPayment', { params: { id }, handles });
  const isUnknown = payment.error !== null && refusalCode(payment.error) === apiCode.notFound;
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={isUnknown ? undefined : t('wordgate.lead')}>
        {t('pay.title')}
      </PageHeading>
      {payment.data ? (
        <SandboxPayment id={id} payment={payment.data} onDecided={() => void payment.refetch()} />
      ) : isUnknown ? (
        <>
          <Message tone="bad" title={t('wordgate.unknown')} />
          <Button component={Link} to="/dashboard" size="md">
            {t('confirm.back')}
          </Button>
        </>
      ) : payment.error ? (
        <LoadFailure text={errorText(payment.error, t)} onRetry={() => void payment.refetch()} />
      ) : (
        <Placeholder lines={3} />
      )}
    </CenteredPanel>
  );
}
