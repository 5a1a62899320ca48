import { maxHeaderSize } from 'node:http';
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
import { addPaymentEvents } from './billing/payment-webhook.ts';
import type { Settle } from './billing/order-settlement.ts';
import { addConsole } from './console/console.ts';
import { addMovedPages } from './console/moved-pages.ts';
import type { EventStreams } from './events/event-streams.ts';
import { addEvents } from './events/events-route.ts';
import type { Database } from './database/database.ts';
import { isUnavailable } from './database/unavailable.ts';
import { readForwarded } from './http/forwarded.ts';
import type { Handlers } from './http/handler.ts';
import { addHealth } from './http/health.ts';
import { preferredLanguage } from './http/language.ts';
import { hasSeveralHosts, isApiPath, readTarget } from './http/request-target.ts';
import { refusalReply, type RefusalReason } from './http/refusal.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { sourceOf, type TrustsProxy } from './http/trusted-proxies.ts';
import type { Limiter } from './limits/limiter.ts';

const bodyLimitBytes = 16 * 1024;
const requestTimeoutMs = 15_000;
/**
 * The maximum time for which a connection may transfer nothing: longer than any answer takes, and longer than the
 * heartbeat interval of event streams. Clients that do not read their answer are cut off.
 */
const stalledMs = 60_000;
const retryAfterSeconds = 5;

/** The HTTP server: the API, and the web console if it has been built. */
export async function createHttpServer(options: {
  handlers: Handlers;
  database: Database;
  publicUrl: string | undefined;
  /** Where the console's pages are, without a trailing slash, if they are not where the service is. */
  consoleUrl: string | undefined;
  consoleDirectory: string | undefined;
  isConsoleKept: boolean;
  /** Origins of pages that apps contain. */
  appOrigins: readonly string[];
  /** The origin to which the console's pages may send error reports. */
  errorReportsTo: string | undefined;
  /** The pages that the console may load in hidden frames. */
  probePages: readonly string[];
  /** Which proxies are believed about whom they forward for. */
  trustsProxy: TrustsProxy;
  limiter: Limiter;
  streams: EventStreams;
  /** How many requests of all kinds this process answers one source in a minute; more are refused with 429. */
  requestsPerMinute: number;
  /** How reports of payment providers are settled and verified; undefined if nothing can be bought. */
  paymentEvents: { settle: Settle; secret: string } | undefined;
  logger: FastifyBaseLogger;
  now: () => Date;
}): Promise<FastifyInstance> {
  const http: FastifyInstance = fastify({
    loggerInstance: options.logger,
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustsProxy,
    rewriteUrl: readTarget,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: stalledMs,
    forceCloseConnections: 'idle',
    // Requests on open connections are still answered while the server closes: Fastify would refuse them without the
    // headers and the envelope of other refusals.
    return503OnClosing: false,
    // Addresses and license keys are longer than 100 characters at times, and no target is as long as this.
    routerOptions: { maxParamLength: maxHeaderSize },
  });
  http.removeContentTypeParser('text/plain');
  addSecurityHeaders(http, options);
  http.addHook('onRequest', (request, reply, done) => {
    if (hasSeveralHosts(request.raw)) {
      refuse(request, reply, 'bad-request');
      return;
    }
    readForwarded(request.raw.headers);
    done();
  });
  const origins = otherOrigins(options);
  if (origins.length > 0) {
    // Pages and their files are not for other origins. `*` handles the preflights.
    http.addHook('onRoute', (route) => {
      if (route.url === '*' || isApiPath(route.url)) return;
      Object.assign(route, { config: { ...route.config, cors: false } });
    });
    // Registered before anything that refuses requests, because the console has to be able to read refusals, too.
    await http.register(cors, corsOptions(origins));
  }
  await http.register(rateLimit, {
    max: options.requestsPerMinute,
    timeWindow: 60_000,
    // In memory, because this limit protects the process. The limits on strangers are counted in the database.
    keyGenerator: ({ ip }) => sourceOf(ip),
  });
  http.addHook('onSend', (_request, reply, payload, done) => {
    // Also for what is not there: caches before the service would keep that for minutes, and a file of a new build may
    // be asked of a process that does not have it yet.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  http.setErrorHandler((error: FastifyError, request, reply) => {
    const reason = reasonOf(error);
    if (reason === 'internal-error') request.log.error({ err: error }, 'request failed');
    if (reason === 'unavailable') {
      request.log.warn({ err: error }, 'the database is not available');
      reply.header('retry-after', retryAfterSeconds);
    }
    return refuse(request, reply, reason);
  });
  // Registered before the routes and files that use it; request bodies are never decompressed.
  await http.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'] });
  http.get(portalProbePath, (_request, reply) => reply.code(204).send());
  addApiRoutes(http, options);
  const { database, streams, now } = options;
  addHealth(http, database);
  addEvents(http, { database, streams, now });
  if (options.paymentEvents) await addPaymentEvents(http, { ...options.paymentEvents, database, now });
  addMovedPages(http, options);
  const sendPage = await addConsole(http, options.consoleDirectory, options.isConsoleKept);
  http.setNotFoundHandler({ preHandler: http.rateLimit() }, (request, reply) =>
    !isApiPath(request.url) && sendPage?.(request, reply) ? reply : refuse(request, reply, 'not-found'),
  );
  return http;
}

/** Maps the status of errors from Fastify and its plugins, before a handler runs, to a reason. */
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

/** A console on another origin than the service may read its replies; no other site may. */
function otherOrigins({ consoleUrl, appOrigins }: ConsoleOrigins): string[] {
  return [...(consoleUrl === undefined ? [] : [new URL(consoleUrl).origin]), ...appOrigins];
}

function corsOptions(origin: string[]): FastifyCorsOptions {
  return {
    origin,
    methods: [...new Set(Object.values(apiCalls).map(({ method }) => method))],
    allowedHeaders: ['Accept', 'Accept-Language', 'Authorization', 'Content-Type'],
    // By `Date`, pages and apps know how wrong their device's clock is.
    exposedHeaders: ['Age', 'Date', 'ETag', 'Retry-After'],
    maxAge: 600,
  };
}

function refuse(request: FastifyRequest, reply: FastifyReply, reason: RefusalReason) {
  const result = refusalReply(reason, preferredLanguage(request.headers['accept-language']));
  return reply.code(result.code).send(result);
}
