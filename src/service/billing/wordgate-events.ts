import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { jobNames } from '../jobs/job-names.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { PaymentEvent } from './payment-webhook.ts';
import { createWordgate, type Wordgate } from './wordgate.ts';
import { signatureHeader, signWebhook } from './webhook-signature.ts';

/** Sends a webhook; resolves with the status of the answer. */
export type SendWebhook = (request: { headers: Record<string, string>; body: string }) => Promise<number>;

/**
 * The sandbox with its webhooks: each change is reported with a signature, and repeated with a new signature until it
 * is accepted. The report is stored in the transaction of the change.
 */
export async function openWordgate(options: {
  database: Database;
  jobs: Jobs;
  secret: string;
  send: SendWebhook;
  now: () => Date;
}): Promise<Wordgate> {
  const { database, jobs, secret, send, now } = options;
  const add = await jobs.queue<PaymentEvent>(jobNames.wordgateEvents, async (event) => {
    const body = JSON.stringify(event);
    const headers = {
      'content-type': 'application/json',
      [signatureHeader]: signWebhook(secret, body, now()),
    };
    const status = await send({ headers, body });
    if (status !== 200) throw new Error(`a webhook was answered ${status}`);
  });
  return createWordgate({
    database,
    now,
    onChange: (transaction, payment) => add(transaction, { id: randomUUID(), payment }),
  });
}
