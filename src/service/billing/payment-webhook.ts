import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { apiCode } from '#shared/api/result.ts';
import type { Database } from '../database/database.ts';
import { paymentEvents } from '../database/schema/billing.ts';
import { preferredLanguage } from '../http/language.ts';
import { refusalReply, type RefusalReason } from '../http/refusal.ts';
import { paymentState } from './payment-provider.ts';
import type { Settle } from './order-settlement.ts';
import { isSignedWebhook, signatureHeader } from './webhook-signature.ts';

/** Where a provider reports changes of payments (docs/payments.md). */
export const paymentEventsPath = '/api/webhooks/payments';
/** Enough for a provider's bursts; refusing unsigned requests costs little. */
const eventsPerMinute = 6000;

const paymentEvent = z.object({
  /** Stays the same when the provider sends the event again. */
  id: z.string().min(1).max(200),
  payment: paymentState.extend({ reference: z.uuid() }),
});
export type PaymentEvent = z.output<typeof paymentEvent>;

/** Receives the provider's reports. Each counts once: its id is stored in the transaction that settles the order. */
export async function addPaymentEvents(
  http: FastifyInstance,
  { database, settle, secret, now }: { database: Database; settle: Settle; secret: string; now: () => Date },
): Promise<void> {
  await http.register(async (scope) => {
    // The signature covers the raw bytes of the body.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    const limited = { config: { rateLimit: { max: eventsPerMinute, timeWindow: 60_000 } } };
    scope.post(paymentEventsPath, limited, async (request, reply) => {
      const refuse = (reason: RefusalReason) => {
        const refusal = refusalReply(reason, preferredLanguage(request.headers['accept-language']));
        return reply.code(refusal.code).send(refusal);
      };
      const header = [request.headers[signatureHeader]].flat()[0] ?? '';
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (!isSignedWebhook(secret, { header, body, now: now() })) return refuse('bad-signature');
      const event = readEvent(body);
      if (!event) return refuse('invalid-fields');
      await database.transaction(async (transaction) => {
        const kept = await transaction
          .insert(paymentEvents)
          .values({ eventId: event.id, receivedAt: now() })
          .onConflictDoNothing()
          .returning();
        if (kept.length === 0) return;
        const outcome = await settle(transaction, event.payment);
        if (!outcome.ok)
          request.log.info({ event: event.id, reason: outcome.reason }, 'an order is not paid');
      });
      return { code: apiCode.success, msg: '', data: null };
    });
  });
}

function readEvent(body: Buffer): PaymentEvent | undefined {
  try {
    return paymentEvent.parse(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}
