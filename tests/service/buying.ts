import { randomUUID } from 'node:crypto';
import { createApiClient, type ApiClient } from '#shared/api/client.ts';
import type { Language, SandboxDecision } from '#shared/entities.ts';

/** A browser that nobody is signed in to. */
export function guest(url: string): ApiClient {
  const deviceId = randomUUID();
  return createApiClient({
    baseUrl: new URL(url).origin,
    fetch,
    deviceName: 'A test browser',
    session: () => ({ deviceId, token: undefined }),
    endSession: async () => undefined,
  });
}

/** Orders for an address, as somebody does who is not signed in; the order's id. */
export async function orderAsGuest(
  url: string,
  { language, ...order }: { productId: string; email: string; quantity?: number; language?: Language },
): Promise<string> {
  const body = { quantity: 1, ...order };
  const placed = await guest(url).call('createGuestOrder', { body, ...(language && { language }) });
  if (!placed.ok) throw new Error('no order', { cause: placed.failure });
  return placed.data.orderId;
}

const paymentId = (payUrl: string) => /\/wordgate\/pay\/([\w-]+)$/.exec(payUrl)?.[1] ?? '';

/** What the sandbox's page shows of a payment. */
export const paymentAt = (payUrl: string) =>
  guest(payUrl).call('sandboxPayment', { params: { id: paymentId(payUrl) } });

/** Presses a button of the sandbox's page. */
export const decide = (payUrl: string, decision: SandboxDecision) =>
  guest(payUrl).call('decideSandboxPayment', { params: { id: paymentId(payUrl) }, body: { decision } });
