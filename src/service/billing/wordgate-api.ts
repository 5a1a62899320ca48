import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { sha256 } from '../http/token.ts';
import type { Wordgate } from './wordgate.ts';

const paymentRequest = z.object({
  reference: z.uuid(),
  title: z.string(),
  amount: z.number().int().positive(),
  currency: z.string(),
  returnUrl: z.url(),
});

/** What docs/payments.md asks of a provider, by the sandbox. `publicUrl` says where its pages are. */
export async function addWordgateApi(
  app: FastifyInstance,
  { wordgate, secret, publicUrl }: { wordgate: Wordgate; secret: string; publicUrl: () => string },
): Promise<void> {
  await app.register(async (scope) => {
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
    scope.get<{ Params: { reference: string } }>('/payments/:reference', async (request, reply) => {
      const reference = z.uuid().safeParse(request.params.reference);
      return reference.success
        ? wordgate.paymentOf(reference.data)
        : reply.code(404).send({ error: 'no reference' });
    });
  });
}

const sameText = (one: string, other: string) =>
  timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
