import { apiCalls } from '#shared/api/calls.ts';
import { portalProbePath } from '#shared/constants.ts';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import compress from '@fastify/compress';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import { addApiRoutes } from './api-routes.ts';
import { addPaymentEvents } from './billing/payment-events.ts';
import type { Settle } from './billing/settle.ts';
import { addConsole } from './console/console.ts';
import { addMovedPages } from './console/moved-pages.ts';
import type { EventStreams } from './events/event-streams.ts';
import { addEvents } from './events/events-route.ts';
import type { Database } from './database/database.ts';
import { isUnavailable } from './database/unavailable.ts';
import type { Handlers } from './http/handler.ts';
import { addHealth } from './http/health.ts';
import { preferredLanguage } from './http/language.ts';
import { refusalReply, type RefusalReason } from './http/refusal.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { sourceOf, type TrustsProxy } from './http/trusted-proxies.ts';
import type { Limiter } from './limits/limiter.ts';

const bodyLimitBytes = 16 * 1024;
const requestTimeoutMs = 15_000;
/** Longer than any answer takes, and than streams of events are silent. */
export const defaultStalledMs = 60_000;
const retryAfterSeconds = 5;

/** The HTTP application: the API, and the web console if it was built. */
export async function createApp(options: {
  handlers: Handlers;
  database: Database;
  publicUrl: string | undefined;
  /** Where the console's pages are, without a trailing slash, if not where the service is. */
  consoleUrl: string | undefined;
  consoleDirectory: string | undefined;
  isConsoleKept: boolean;
  /** Of pages that apps bring along. */
  appOrigins: readonly string[];
  /** Where the console's pages may send error reports, as an origin. */
  errorReportsTo: string | undefined;
  /** What the console's pages may load in hidden frames. */
  probePages: readonly string[];
  /** Whose word on whom they forward for is taken. */
  trustsProxy: TrustsProxy;
  limiter: Limiter;
  streams: EventStreams;
  /** So long may a connection neither bring nor take anything, in milliseconds: who reads no answer is cut off. */
  stalledMs: number;
  /** Of all kinds together, that this process answers one source in a minute; more are refused with 429. */
  requestsPerMinute: number;
  /** How payment providers' reports are settled and signed; undefined when nothing can be bought. */
  paymentEvents: { settle: Settle; secret: string } | undefined;
  logger: FastifyBaseLogger;
  now: () => Date;
}): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustsProxy,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: options.stalledMs,
    forceCloseConnections: 'idle',
    // Before any hook.
    frameworkErrors(error, request, reply) {
      refuse(request, reply.headers(headers), reasonOf(error));
    },
  });
  app.removeContentTypeParser('text/plain');
  const headers = addSecurityHeaders(app, options);
  const origins = otherOrigins(options);
  if (origins.length > 0) {
    // Pages and their files are for no other origin. `*` has the preflights.
    app.addHook('onRoute', (route) => {
      if (route.url === '*' || isApiPath(route.url)) return;
      Object.assign(route, { config: { ...route.config, cors: false } });
    });
    // Before what refuses: the console has to be able to read that, too.
    await app.register(cors, corsOptions(origins));
  }
  await app.register(rateLimit, {
    max: options.requestsPerMinute,
    timeWindow: 60_000,
    // In memory, as it is the process that it protects; what strangers can spend is counted in the database.
    keyGenerator: ({ ip }) => sourceOf(ip),
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const isCacheable = reply.hasHeader('cache-control');
    if (isApiPath(request.url) && !isCacheable) reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const reason = reasonOf(error);
    if (reason === 'internal-error') request.log.error({ err: error }, 'request failed');
    if (reason === 'unavailable') {
      request.log.warn({ err: error }, 'the database is not available');
      reply.header('retry-after', retryAfterSeconds);
    }
    return refuse(request, reply, reason);
  });
  // Before the routes and files that it is for; requests are never decompressed.
  await app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'] });
  app.get(portalProbePath, (_request, reply) => reply.code(204).send());
  addApiRoutes(app, options);
  const { database, streams, now } = options;
  addHealth(app, database);
  addEvents(app, { database, streams, now });
  if (options.paymentEvents) await addPaymentEvents(app, { ...options.paymentEvents, database, now });
  addMovedPages(app, options);
  const sendPage = await addConsole(app, options.consoleDirectory, options.isConsoleKept);
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) =>
    !isApiPath(request.url) && sendPage?.(request, reply) ? reply : refuse(request, reply, 'not-found'),
  );
  return app;
}

const isApiPath = (url: string) => /^\/api(?:[/?]|$)/.test(url);

/** What the service refuses before a handler runs, by the status Fastify and its plugins give it. */
function reasonOf(error: { statusCode?: number }): RefusalReason {
  if (isUnavailable(error)) return 'unavailable';
  const status = error.statusCode ?? 500;
  if (status === 404) return 'not-found';
  if (status === 413) return 'too-large';
  if (status === 415) return 'not-json';
  if (status === 429) return 'too-many-requests';
  return status < 500 ? 'bad-request' : 'internal-error';
}

interface ConsoleOrigins {
  consoleUrl: string | undefined;
  appOrigins: readonly string[];
}

/** A console that is on another origin than the service may read its replies, and no other site. */
function otherOrigins({ consoleUrl, appOrigins }: ConsoleOrigins): string[] {
  return [...(consoleUrl === undefined ? [] : [new URL(consoleUrl).origin]), ...appOrigins];
}

function corsOptions(origin: string[]): FastifyCorsOptions {
  return {
    origin,
    methods: [...new Set(Object.values(apiCalls).map(({ method }) => method))],
    allowedHeaders: ['Accept', 'Accept-Language', 'Authorization', 'Content-Type'],
    exposedHeaders: ['ETag', 'Retry-After'],
    maxAge: 600,
  };
}

function refuse(request: FastifyRequest, reply: FastifyReply, reason: RefusalReason) {
  const result = refusalReply(reason, preferredLanguage(request.headers['accept-language']));
  return reply.code(result.code).send(result);
}
