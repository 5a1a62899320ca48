import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { httpPaymentProvider } from '../../../../src/service/billing/http-payment-provider.ts';
import { createOrderPayments } from '../../../../src/service/billing/order-payments.ts';
import type { OrderRow } from '../../../../src/service/billing/orders.ts';
import { PaymentProviderFailed } from '../../../../src/service/billing/payment-provider.ts';
import type { Database } from '../../../../src/service/database/database.ts';

const reference = '5a4e7f5e-7f0f-4c6f-8f25-3f8f7b7b2f11';
const payment = {
  reference,
  title: 'A month',
  amount: 999,
  currency: 'USD',
  returnUrl: '/pay/confirming',
  publicUrl: 'https://vpn.example.net',
};
const secret = 'a secret of more than thirty-two characters';

async function providerAt(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    provider: httpPaymentProvider({ url: `http://127.0.0.1:${port}`, secret }),
    close,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await close();
    },
  };
}

const json =
  (status: number, value: unknown): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

test('the state of payments is the provider’s answer', async () => {
  const state = { revision: 7, state: 'paid', amount: 999, currency: 'USD' };
  await using at = await providerAt(json(200, state));
  expect(await at.provider.paymentOf(reference)).toEqual(state);
});

/** What providers, and what is before them, answer when something is wrong. */
const useless: Record<string, RequestListener> = {
  'an error': json(502, { error: 'bad gateway' }),
  'that it is busy': json(429, { error: 'too many requests' }),
  'a page': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Soon</h1>'),
  'something else': json(200, { status: 'ok' }),
  'a redirect': (_, response) => void response.writeHead(302, { location: '/login' }).end(),
  'half of it': (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"revision":');
    response.socket?.end();
  },
};

test.each(Object.entries(useless))('a provider that answers with %s has failed', async (_, answer) => {
  await using at = await providerAt(answer);
  await expect(at.provider.createPayment(payment)).rejects.toBeInstanceOf(PaymentProviderFailed);
  await expect(at.provider.paymentOf(reference)).rejects.toBeInstanceOf(PaymentProviderFailed);
  await expect(at.provider.refund(reference)).rejects.toBeInstanceOf(PaymentProviderFailed);
});

test('whoever asks about a payment is told that its provider cannot be reached, and so is the log', async () => {
  await using at = await providerAt(json(200, {}));
  await at.close();
  const error = vi.fn();
  const payments = createOrderPayments({
    // Before the provider has answered, nothing is asked of it.
    database: {} as Database,
    settle: async () => ({ ok: true, data: null }),
    provider: at.provider,
    consoleUrl: undefined,
    now: () => new Date(),
    logger: { error },
  });
  const order = { uuid: reference, paidAt: null, reversedAt: null } as OrderRow;
  expect(await payments.confirm(order)).toEqual({ ok: false, reason: 'payment-unreachable' });
  expect(error).toHaveBeenCalledOnce();
  const [logged, message] = error.mock.calls[0] ?? [];
  expect(message).toBe('the payment provider has failed');
  // Fields of a log, in which the database is not blamed.
  expect(JSON.stringify(logged)).toContain('ECONNREFUSED');
});
