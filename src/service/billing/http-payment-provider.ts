import { trustSystemRoots } from '#node/anyconnect/system-roots.ts';
import { z } from 'zod';
import { PaymentProviderFailed, paymentState, type PaymentProvider } from './payment-provider.ts';

const answerWithinMs = 10_000;
const createdPayment = z.object({ payUrl: z.url({ protocol: /^https?$/ }) });

/**
 * A payment provider over HTTP, as docs/payments.md describes. It has failed if it does not answer within ten seconds,
 * or if the answer does not match.
 */
export function httpPaymentProvider({ url, secret }: { url: string; secret: string }): PaymentProvider {
  async function ask<Answer>(answer: z.ZodType<Answer>, path: string, body?: object): Promise<Answer> {
    trustSystemRoots();
    try {
      const reply = await fetch(`${url}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // The target of a redirect would get the secret, too.
        redirect: 'error',
        signal: AbortSignal.timeout(answerWithinMs),
      });
      if (!reply.ok) throw new Error(`the payment provider answered ${reply.status}`);
      return answer.parse(await reply.json());
    } catch (error) {
      throw new PaymentProviderFailed(error);
    }
  }

  return {
    async createPayment({ publicUrl, returnUrl, ...payment }) {
      const body = { ...payment, returnUrl: new URL(returnUrl, publicUrl).href };
      return ask(createdPayment, '/payments', body);
    },

    paymentOf: (reference) => ask(paymentState, `/payments/${reference}`),

    refund: (reference) => ask(paymentState, `/payments/${reference}/refunds`, {}),
  };
}
