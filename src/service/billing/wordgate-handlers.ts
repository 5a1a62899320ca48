import { z } from 'zod';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { wordgateDecisions, type Wordgate, type WordgatePayment } from './wordgate.ts';

const paymentId = z.uuid();

/** The calls of the sandbox's page; `wordgate` is undefined if there is no sandbox. */
export function wordgateHandlers(options: {
  wordgate: Wordgate | undefined;
  now: () => Date;
}): Pick<Handlers, 'sandboxPayment' | 'decideSandboxPayment'> {
  const { wordgate } = options;

  async function find(id: string): Promise<WordgatePayment | undefined> {
    return paymentId.safeParse(id).success ? wordgate?.find(id) : undefined;
  }

  return {
    async sandboxPayment({ params }) {
      const payment = await find(params.id);
      if (!payment) return refused('not-found');
      const { title, amount, currency, state, returnUrl, expiresAt } = payment;
      const isExpired = state === 'open' && expiresAt <= options.now();
      return done({
        title,
        amount,
        currency,
        state: isExpired ? 'expired' : state,
        decisions: isExpired ? [] : [...wordgateDecisions[state]],
        returnUrl,
      });
    },

    async decideSandboxPayment({ params, body }) {
      const payment = await find(params.id);
      if (!payment) return refused('not-found');
      await wordgate?.decide(payment.id, body.decision);
      return done(null);
    },
  };
}
