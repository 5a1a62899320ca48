import { z } from 'zod';
import { paymentState, type PaymentProvider } from './payment-provider.ts';

const answerWithinMs = 10_000;
const createdPayment = z.object({ payUrl: z.url({ protocol: /^https?$/ }) });

/**
 * A payment provider over HTTP, as docs/payments.md describes. Rejects if it does not answer within ten seconds, or if
 * the answer does not match.
 */
export function httpPaymentProvider({ url, secret }: { url: string; secret: string }): PaymentProvider {
  async function ask(path: string, body?: object): Promise<Response> {
    return fetch(`${url}${path}`, {
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
  }

  return {
    async createPayment({ publicUrl, returnUrl, ...payment }) {
      const reply = await ask('/payments', { ...payment, returnUrl: new URL(returnUrl, publicUrl).href });
      return createdPayment.parse(await jsonOf(reply));
    },

    async paymentOf(reference) {
      return paymentState.parse(await jsonOf(await ask(`/payments/${reference}`)));
    },

    async refund(reference) {
      return paymentState.parse(await jsonOf(await ask(`/payments/${reference}/refunds`, {})));
    },
  };
}

async function jsonOf(reply: Response): Promise<unknown> {
  if (!reply.ok) throw new Error(`the payment provider answered ${reply.status}`);
  return reply.json();
}
