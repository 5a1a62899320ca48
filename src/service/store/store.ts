import { readFile } from 'node:fs/promises';
import path from 'node:path';
import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import formBody from '@fastify/formbody';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { languageTags } from '#shared/language.ts';
import { formatUsd } from '#shared/usd.ts';
import type { Database } from '../database/database.ts';
import { html, type Html } from '../http/html.ts';
import { preferredLanguage } from '../http/language.ts';
import { sourceOf } from '../http/trusted-proxies.ts';
import type { Limiter } from '../limits/limiter.ts';
import { listProducts, placeOrder } from '../billing/orders.ts';
import {
  checkEntry,
  purchaseForm,
  readEntry,
  type PurchaseEntry,
  type PurchaseErrors,
} from './purchase-form.ts';
import { storePage } from './store-page.ts';
import { storeText, type StoreTextKey } from './store-texts.ts';
import { wordgatePage } from './wordgate-page.ts';
import type { Wordgate } from '../billing/wordgate.ts';

export interface StoreOptions {
  database: Database;
  /** The payment sandbox; undefined unless that is how plans are paid. */
  wordgate: Wordgate | undefined;
  /** Whether plans can be bought. */
  sells: boolean;
  /** Where the console's pages are, without a trailing slash, if not where the service is. */
  consoleUrl: string | undefined;
  /** Whether users reach the service by https only. */
  isSecure: boolean;
  limiter: Limiter;
  now: () => Date;
}

const paymentId = z.uuid();
const decision = z.object({ decision: z.enum(['paid', 'declined', 'refunded', 'disputed']) });

/**
 * The store's pages (those that basic info names) and the payment sandbox's: HTML without scripts. Each form carries
 * a token that belongs to a cookie which other sites' forms do not send.
 */
export async function addStore(app: FastifyInstance, options: StoreOptions): Promise<void> {
  const { database, wordgate, sells, consoleUrl = '', limiter, now } = options;
  const listOffers = () => (sells ? listProducts(database) : Promise.resolve([]));
  const [style, mark] = await Promise.all([readAsset('store-style.css'), readAsset('store-mark.svg')]);
  await app.register(async (store) => {
    await store.register(cookie);
    await store.register(csrfProtection, {
      cookieKey: 'waymaker_form',
      cookieOpts: { path: '/', sameSite: 'lax', httpOnly: true, secure: options.isSecure },
    });
    await store.register(formBody, { bodyLimit: 4096 });
    store.setErrorHandler((error: FastifyError, request, reply) => {
      const status = error.statusCode ?? 500;
      if (status >= 500) request.log.error({ err: error }, 'page failed');
      return sendFailure(request, reply, status);
    });
    const page = { helmet: { contentSecurityPolicy: contentSecurityPolicy(options.consoleUrl) } };
    const form = {
      ...page,
      preHandler: (request: FastifyRequest, reply: FastifyReply, done: () => void) =>
        store.csrfProtection(request, reply, done),
    };

    async function sendForm(
      request: FastifyRequest,
      reply: FastifyReply,
      shown: { kind: 'purchase' | 'change' | 'quickStart'; entry: PurchaseEntry; errors?: PurchaseErrors },
    ) {
      const { language, t, price } = textOf(request);
      const products = await listOffers();
      const { kind, entry, errors = {} } = shown;
      const steps = (['quickStart.step1', 'quickStart.step2', 'quickStart.step3'] as const).map(
        (step) => html`<li>${t(step)}</li>`,
      );
      const titleOf = (product: (typeof products)[number]) => product.titles[language];
      const csrfToken = reply.generateCsrf();
      return send(request, reply, {
        title: t(`${kind}.title`),
        content: html`<p class="lead">${t(`${kind}.lead`)}</p>
          ${
            kind === 'quickStart' &&
            html`<ol>
              ${steps}
            </ol>`
          }
          ${purchaseForm({ t, price, products, titleOf, entry, errors, csrfToken })}`,
        isSandbox: wordgate !== undefined,
      });
    }

    store.get('/store/style.css', (_, reply) => sendAsset(reply, 'text/css; charset=utf-8', style));
    store.get('/store/mark.svg', (_, reply) => sendAsset(reply, 'image/svg+xml', mark));
    store.get('/store/purchase', page, (request, reply) =>
      sendForm(request, reply, { kind: 'purchase', entry: readEntry(request.query) }),
    );
    store.get('/store/change-service', page, (request, reply) =>
      sendForm(request, reply, { kind: 'change', entry: readEntry(request.query) }),
    );
    store.get('/store/quick-start', page, (request, reply) =>
      sendForm(request, reply, { kind: 'quickStart', entry: readEntry(request.query) }),
    );

    store.post('/store/purchase', form, async (request, reply) => {
      const entry = readEntry(request.body);
      const checked = checkEntry(entry, await listOffers());
      if (!checked.ok) {
        reply.code(422);
        return sendForm(request, reply, { kind: 'purchase', entry, errors: checked.errors });
      }
      if (await limiter.take({ limit: 'ordersPerSource', of: [sourceOf(request.ip)] })) {
        reply.code(429);
        return sendForm(request, reply, { kind: 'purchase', entry, errors: { email: 'error.tooMany' } });
      }
      const { language } = textOf(request);
      const order = await placeOrder(database, { ...checked, language, now: now() });
      return reply.redirect(`${consoleUrl}/pay/order?orderId=${order.id}`, 303);
    });

    store.get('/store/privacy', page, (request, reply) => {
      const { t } = textOf(request);
      const sections = (['account', 'devices', 'traffic', 'erasure'] as const).map(
        (name) =>
          html`<h2>${t(`privacy.${name}Title`)}</h2>
            <p>${t(`privacy.${name}`)}</p>`,
      );
      const content = html`<p class="lead">${t('privacy.lead')}</p>
        ${sections}`;
      return send(request, reply, { title: t('privacy.title'), content });
    });
    store.get('/store/events', page, (request, reply) => {
      const { t } = textOf(request);
      return send(request, reply, { title: t('events.title'), content: html`<p>${t('events.none')}</p>` });
    });
    if (wordgate) addWordgatePages(wordgate);

    function addWordgatePages(sandbox: Wordgate) {
      store.get<PaymentRoute>('/wordgate/pay/:paymentId', page, async (request, reply) => {
        const payment = await findPayment(sandbox, request.params.paymentId);
        if (!payment) return sendFailure(request, reply, 404);
        const { t, price } = textOf(request);
        const content = wordgatePage(payment, now(), t, price(payment.amount), reply.generateCsrf());
        return send(request, reply, { title: t('pay.title'), content, isSandbox: true });
      });
      store.post<PaymentRoute>('/wordgate/pay/:paymentId', form, async (request, reply) => {
        const payment = await findPayment(sandbox, request.params.paymentId);
        if (!payment) return sendFailure(request, reply, 404);
        const decided = decision.safeParse(request.body);
        if (!decided.success) return sendFailure(request, reply, 400);
        await sandbox.decide(payment.id, decided.data.decision);
        // The payer goes back to the seller; whoever refunds or disputes stays.
        const isPayer = payment.state === 'open';
        return reply.redirect(isPayer ? payment.returnUrl : request.url, 303);
      });
    }
  });
}

async function findPayment(sandbox: Wordgate, id: string) {
  return paymentId.safeParse(id).success ? sandbox.find(id) : undefined;
}

interface PaymentRoute {
  Params: { paymentId: string };
}

function contentSecurityPolicy(consoleUrl: string | undefined) {
  return {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'style-src': ["'self'"],
      'img-src': ["'self'"],
      // Chromium applies this to where a form's answer redirects to as well.
      'form-action': ["'self'", ...(consoleUrl === undefined ? [] : [new URL(consoleUrl).origin])],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  };
}

function textOf(request: FastifyRequest) {
  const language = preferredLanguage(request.headers['accept-language']);
  const price = (cents: number) => formatUsd(cents, languageTags[language]);
  return { language, t: storeText(language), price };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { title: string; content: Html; isSandbox?: boolean },
) {
  const { language } = textOf(request);
  return reply
    .header('cache-control', 'no-store')
    .header('vary', 'accept-language')
    .type('text/html; charset=utf-8')
    .send(storePage({ language, ...page }));
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, status: number) {
  const { t } = textOf(request);
  const content = html`<p>${t(failureText(status))}</p>
    <div class="buttons"><a class="button" href="/store/purchase">${t('failed.back')}</a></div>`;
  return send(request, reply.code(status), { title: t('failed.title'), content });
}

function failureText(status: number): StoreTextKey {
  if (status === 403) return 'failed.form';
  if (status === 404) return 'failed.notFound';
  if (status === 429) return 'failed.tooManyRequests';
  return status < 500 ? 'failed.badRequest' : 'failed.internal';
}

function readAsset(name: string): Promise<Buffer> {
  return readFile(path.join(import.meta.dirname, name));
}

function sendAsset(reply: FastifyReply, type: string, content: Buffer) {
  return reply.header('cache-control', 'public, max-age=3600').type(type).send(content);
}
