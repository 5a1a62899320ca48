import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sha256 } from '../http/token.ts';
import type { PaymentState } from './payment-provider.ts';
import type { Wordgate } from './wordgate.ts';

const paymentRequest = z.object({
  reference: z.uuid(),
  title: z.string(),
  amount: z.number().int().positive(),
  currency: z.string(),
  returnUrl: z.url(),
});

interface OfReference {
  Params: { reference: string };
}

/** The provider's side of docs/payments.md, implemented by the sandbox. `publicUrl` says where its pages are. */
export async function addWordgateApi(
  http: FastifyInstance,
  { wordgate, secret, publicUrl }: { wordgate: Wordgate; secret: string; publicUrl: () => string },
): Promise<void> {
  await http.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, done) => {
      const isSeller = sameText(request.headers.authorization ?? '', `Bearer ${secret}`);
      if (isSeller) done();
      else void reply.code(401).send({ error: 'unknown seller' });
    });
    scope.post('/payments', async (request, reply) => {
      const asked = paymentRequest.safeParse(request.body);
      if (!asked.success) return reply.code(422).send({ error: z.prettifyError(asked.error) });
      const { payUrl } = await wordgate.createPayment({ ...asked.data, publicUrl: publicUrl() });
      return { payUrl: new URL(payUrl, publicUrl()).href };
    });
    const ofReference =
      (answer: (reference: string) => Promise<PaymentState>) =>
      async ({ params }: FastifyRequest<OfReference>, reply: FastifyReply) => {
        const reference = z.uuid().safeParse(params.reference);
        return reference.success ? answer(reference.data) : reply.code(404).send({ error: 'no reference' });
      };
    scope.get<OfReference>(
      '/payments/:reference',
      ofReference((reference) => wordgate.paymentOf(reference)),
    );
    scope.post<OfReference>(
      '/payments/:reference/refunds',
      ofReference((reference) => wordgate.refund(reference)),
    );
  });
}

const sameText = (one: string, other: string) =>
  timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
