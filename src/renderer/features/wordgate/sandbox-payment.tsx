import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SandboxDecision, SandboxPayment as Payment } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import { formatUsd } from '#shared/usd.ts';
import { errorText } from '../../api/api-failure.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import type { TextKey } from '#shared/texts/texts.ts';
import { Facts } from '../../ui/lists/facts.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { showError } from '../../ui/messages/toast.ts';

interface SandboxPaymentProps {
  id: string;
  payment: Payment;
  onDecided: () => void;
}

/** The payer's decisions and, after that, those of the seller or the payer's bank. */
export function SandboxPayment({ id, payment, onDecided }: SandboxPaymentProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const decide = useApiMutation('decideSandboxPayment');
  const { state, decisions } = payment;
  const amount = formatUsd(payment.amount, language);
  const back = webAddress(new URL(payment.returnUrl, location.href).href);

  const press = (decision: SandboxDecision) =>
    decide.mutate(
      { params: { id }, body: { decision } },
      {
        // The payer goes back to the seller; after a refund or a dispute, the page stays.
        onSuccess() {
          if (state === 'open' && back !== undefined) location.assign(back);
          else onDecided();
        },
        onError(error) {
          showError(errorText(error, t));
          // It may have been decided anyway.
          onDecided();
        },
      },
    );
  return (
    <>
      <Facts
        facts={[
          { name: t('pay.item'), value: payment.title },
          { name: t('wordgate.amount'), value: amount },
        ]}
      />
      {state !== 'open' && <Message tone="info" title={t(stateTexts[state])} />}
      {state !== 'open' && back !== undefined && (
        <Button component="a" href={back} size="md">
          {t('wordgate.continue')}
        </Button>
      )}
      {decisions.map((decision) => (
        <Button
          key={decision}
          size="md"
          variant={state === 'open' && decision === 'paid' ? 'filled' : 'default'}
          loading={decide.isPending && decide.variables.body?.decision === decision}
          onClick={() => press(decision)}
        >
          {t(decision === 'paid' && state === 'disputed' ? 'wordgate.winDispute' : decisionTexts[decision], {
            amount,
          })}
        </Button>
      ))}
    </>
  );
}

const decisionTexts = {
  paid: 'wordgate.pay',
  declined: 'wordgate.decline',
  refunded: 'wordgate.refund',
  disputed: 'wordgate.dispute',
} as const satisfies Record<SandboxDecision, TextKey>;

const stateTexts = {
  expired: 'wordgate.expired',
  paid: 'wordgate.paid',
  declined: 'wordgate.declined',
  refunded: 'wordgate.refunded',
  disputed: 'wordgate.disputed',
} as const satisfies Record<Exclude<Payment['state'], 'open'>, TextKey>;
