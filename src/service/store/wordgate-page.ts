import { html, type Html } from '../http/html.ts';
import type { StoreText, StoreTextKey } from './store-texts.ts';
import { wordgateDecisions, type WordgateDecision, type WordgatePayment } from '../billing/wordgate.ts';

/**
 * Where a payer decides, or what they decided; after that, what the seller or the payer's bank can do. `amount` is
 * the payment's, as a reader of `t`'s language writes it.
 */
export function wordgatePage(
  payment: WordgatePayment,
  now: Date,
  t: StoreText,
  amount: string,
  csrfToken: string,
): Html {
  const canBePaid = payment.state === 'open' && payment.expiresAt > now;
  const decisions = payment.state === 'open' && !canBePaid ? [] : wordgateDecisions[payment.state];
  const buttons = decisions.map(
    (decision) =>
      html`<button
        type="submit"
        name="decision"
        value="${decision}"
        class="${canBePaid && decision === 'paid' ? '' : 'quiet'}"
      >
        ${t(decisionTexts(payment.state)[decision], { amount })}
      </button>`,
  );
  return html`<p class="lead">${t('pay.lead')}</p>
    <dl>
      <dt>${t('pay.order')}</dt>
      <dd>${payment.title}</dd>
      <dt>${t('pay.amount')}</dt>
      <dd>${amount}</dd>
    </dl>
    <form method="post" action="/wordgate/pay/${payment.id}">
      <input type="hidden" name="_csrf" value="${csrfToken}" />
      ${!canBePaid && html`<p>${t(endTexts[payment.state])}</p>`}
      <div class="buttons">
        ${!canBePaid && html`<a class="button" href="${payment.returnUrl}">${t('pay.continue')}</a>`}
        ${buttons}
      </div>
    </form>`;
}

const decisionTexts = (state: WordgatePayment['state']) =>
  ({
    paid: state === 'disputed' ? 'pay.winDispute' : 'pay.accept',
    declined: 'pay.decline',
    refunded: 'pay.refund',
    disputed: 'pay.dispute',
  }) as const satisfies Record<WordgateDecision, StoreTextKey>;

const endTexts = {
  open: 'pay.expired',
  paid: 'pay.paid',
  declined: 'pay.declined',
  refunded: 'pay.refunded',
  disputed: 'pay.disputed',
} as const satisfies Record<WordgatePayment['state'], StoreTextKey>;
