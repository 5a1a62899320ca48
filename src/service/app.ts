import { connectivityProbe, portalProbePath } from '#shared/constants.ts';
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import compress from '@fastify/compress';
import helmet from '@fastify/helmet';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import { addApiRoutes } from './api-routes.ts';
import { addConsole } from './console/console.ts';
import type { Database } from './database/database.ts';
import type { Handlers } from './http/handler.ts';
import { preferredLanguage } from './http/language.ts';
import { refusalReply, type RefusalReason } from './http/refusal.ts';
import { addStore, type StoreOptions } from './store/store.ts';

/** Requests that one address may send in a minute; more are refused with 429. */
export interface RateLimits {
  /** Of all calls together, but those of sign-in. */
  all: number;
  /** Codes asked for, and as many tries; orders placed. */
  signIn: number;
}

const unixSocketCaller = 'unix';
const bodyLimitBytes = 16 * 1024;
const requestTimeoutMilliseconds = 15_000;

/** The HTTP application: the API, and the web console if it was built. */
export async function createApp(options: {
  handlers: Handlers;
  database: Database;
  publicUrl: string | undefined;
  store: Pick<StoreOptions, 'wordgate' | 'provider' | 'consoleUrl' | 'isSecure'>;
  consoleDirectory: string | undefined;
  /** Where the console's pages may send error reports, as an origin. */
  errorReportsTo: string | undefined;
  rateLimits: RateLimits;
  logger: FastifyBaseLogger;
  now: () => Date;
}): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: options.logger,
    bodyLimit: bodyLimitBytes,
    trustProxy: false,
    requestTimeout: requestTimeoutMilliseconds,
    forceCloseConnections: 'idle',
    frameworkErrors(error, request, reply) {
      refuse(request, reply, reasonOf(error));
    },
  });
  app.removeContentTypeParser('text/plain');
  await app.register(helmet, securityHeaders(options.errorReportsTo));
  await app.register(rateLimit, {
    max: options.rateLimits.all,
    timeWindow: 60_000,
    // Who reaches the Unix socket (it has no remote address) is a proxy that the administrator put there.
    keyGenerator: ({ ip }) => (ip ? normalizeIP(ip, 64) : unixSocketCaller),
    allowList: [unixSocketCaller],
  });
  app.addHook('onSend', async (request, reply) => {
    const isCacheable = reply.hasHeader('cache-control');
    if (isApiPath(request.url) && !isCacheable) reply.header('cache-control', 'no-store');
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const reason = reasonOf(error);
    if (reason === 'internal-error') request.log.error({ err: error }, 'request failed');
    return refuse(request, reply, reason);
  });
  // Before the routes and files that it is for; requests are never decompressed.
  await app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'] });
  app.get(portalProbePath, (_request, reply) => reply.code(204).send());
  await addApiRoutes(app, { ...options, signInsPerMinute: options.rateLimits.signIn });
  const { database, now } = options;
  await addStore(app, { ...options.store, database, now, ordersPerMinute: options.rateLimits.signIn });
  const sendPage = await addConsole(app, options.consoleDirectory);
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request, reply) =>
    !isApiPath(request.url) && sendPage?.(request, reply) ? reply : refuse(request, reply, 'not-found'),
  );
  return app;
}

const isApiPath = (url: string) => /^\/api(?:[/?]|$)/.test(url);

/** What the service refuses before a handler runs, by the status Fastify and its plugins give it. */
function reasonOf(error: { statusCode?: number }): RefusalReason {
  const status = error.statusCode ?? 500;
  if (status === 404) return 'not-found';
  if (status === 413) return 'too-large';
  if (status === 415) return 'not-json';
  if (status === 429) return 'too-many-requests';
  return status < 500 ? 'bad-request' : 'internal-error';
}

function refuse(request: FastifyRequest, reply: FastifyReply, reason: RefusalReason) {
  const result = refusalReply(reason, preferredLanguage(request.headers['accept-language']));
  return reply.code(result.code).send(result);
}

const securityHeaders = (errorReportsTo: string | undefined) =>
  ({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'script-src': ["'self'"],
        // Mantine writes responsive styles into style elements and attributes.
        'style-src': ["'self'", "'unsafe-inline'"],
        'connect-src': ["'self'", ...(errorReportsTo === undefined ? [] : [errorReportsTo])],
        // Notes' pictures may be anywhere on the web.
        'img-src': ["'self'", 'data:', 'https:'],
        // The frames of the connectivity probe: `object` elements, to which browsers apply both.
        'object-src': [...connectivityProbe.pages],
        'frame-src': [...connectivityProbe.pages],
        'base-uri': ["'none'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // The service speaks plain HTTP; the proxy that adds TLS knows whether to promise it for ever.
    strictTransportSecurity: false,
  }) as const;
