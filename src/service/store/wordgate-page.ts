import { html, type Html } from '../http/html.ts';
import type { StoreText, StoreTextKey } from './store-texts.ts';
import type { WordgatePayment } from '../billing/wordgate.ts';

/** Where a payer decides, or what he decided. `amount` is the payment's, as a reader of `t`'s language writes it. */
export function wordgatePage(
  payment: WordgatePayment,
  now: Date,
  t: StoreText,
  amount: string,
  csrfToken: string,
): Html {
  return html`<p class="lead">${t('pay.lead')}</p>
    <dl>
      <dt>${t('pay.order')}</dt>
      <dd>${payment.title}</dd>
      <dt>${t('pay.amount')}</dt>
      <dd>${amount}</dd>
    </dl>
    <form method="post" action="/wordgate/pay/${payment.id}">
      ${
        payment.state === 'open' && payment.expiresAt > now
          ? html`<input type="hidden" name="_csrf" value="${csrfToken}" />
              <div class="buttons">
                <button type="submit" name="decision" value="paid">${t('pay.accept', { amount })}</button>
                <button type="submit" name="decision" value="declined" class="quiet">
                  ${t('pay.decline')}
                </button>
              </div>`
          : html`<p>${t(endTexts[payment.state])}</p>
              <div class="buttons">
                <a class="button" href="${payment.returnUrl}">${t('pay.continue')}</a>
              </div>`
      }
    </form>`;
}

const endTexts = {
  open: 'pay.expired',
  paid: 'pay.paid',
  declined: 'pay.declined',
} as const satisfies Record<WordgatePayment['state'], StoreTextKey>;
