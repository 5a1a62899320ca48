import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { outliveOutput } from '#node/os/standard-output.ts';
import { addWordgateApi } from './billing/wordgate-api.ts';
import { openWordgate, type SendWebhook } from './billing/wordgate-events.ts';
import { openDatabase } from './database/database.ts';
import { keyedHash } from './http/keyed-hash.ts';
import { openJobs } from './jobs/jobs.ts';
import { createLimiter } from './limits/limiter.ts';
import { scaledLimits } from './limits/limits.ts';
import { createLogger, describeError } from './log.ts';
import { refusalReply } from './http/refusal.ts';
import { issuesOf } from './setting-problem.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { addConsole } from './console/console.ts';
import { addApiRoutes } from './api-routes.ts';
import { wordgateHandlers } from './billing/wordgate-handlers.ts';

/**
 * The payment sandbox as a separate process: a provider as docs/payments.md describes, for trying and testing a service
 * with `WAYMAKER_PAYMENTS=provider`. It listens on this machine only, and prints one line when it is ready.
 */
const environment = z.object({
  WAYMAKER_DEVELOPMENT: z.literal('1'),
  WORDGATE_PORT: z.coerce.number().int().min(0).max(65535).default(8030),
  WORDGATE_DATA_DIR: z.string().default(path.resolve(import.meta.dirname, '../../.waymaker/wordgate')),
  /** Where the service receives webhooks: its address with `/api/webhooks/payments`. */
  WORDGATE_WEBHOOK_URL: z.url({ protocol: /^https?$/ }),
  WAYMAKER_PAYMENT_SECRET: z.string().min(32),
  WAYMAKER_LOG_LEVEL: z.string().default('warn'),
});

/** The sandbox's page is one of the console's. */
const consoleDirectory = path.resolve(import.meta.dirname, '../../out/renderer');

async function run(): Promise<void> {
  const env = environment.parse(process.env);
  const secret = env.WAYMAKER_PAYMENT_SECRET;
  const now = () => new Date();
  const logger = createLogger(env.WAYMAKER_LOG_LEVEL, process.stderr);
  await using stack = new AsyncDisposableStack();
  const opened = await openDatabase({ kind: 'pglite', directory: env.WORDGATE_DATA_DIR }, (error) =>
    logger.warn(describeError(error), 'the database failed outside of a call'),
  );
  stack.defer(() => opened.close());
  const { database } = opened;
  const jobs = await openJobs(opened, { logger });
  stack.defer(() => jobs.close());
  const send: SendWebhook = async (request) => {
    const signal = AbortSignal.timeout(10_000);
    return (await fetch(env.WORDGATE_WEBHOOK_URL, { method: 'POST', ...request, signal })).status;
  };
  const wordgate = await openWordgate({ database, jobs, secret, send, now });
  const loggerInstance: FastifyBaseLogger = logger;
  const http: FastifyInstance = fastify({ loggerInstance });
  stack.defer(() => http.close());
  let publicUrl = '';
  await addWordgateApi(http, { wordgate, secret, publicUrl: () => publicUrl });
  addSecurityHeaders(http, { errorReportsTo: undefined, probePages: [] });
  const limiter = createLimiter({ database, limits: scaledLimits(1), hash: keyedHash(randomBytes(32)), now });
  const handlers = wordgateHandlers({ wordgate, now });
  addApiRoutes(http, { handlers, database, publicUrl: undefined, limiter, now });
  const sendPage = await addConsole(http, existsSync(consoleDirectory) ? consoleDirectory : undefined, false);
  http.setNotFoundHandler((request, reply) =>
    sendPage?.(request, reply) ? reply : reply.code(404).send(refusalReply('not-found', 'en')),
  );
  publicUrl = await http.listen({ host: '127.0.0.1', port: env.WORDGATE_PORT });
  await jobs.start();
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  console.log(`wordgate: ${publicUrl}`);
  await asked;
}

outliveOutput();
try {
  await run();
} catch (error) {
  console.error(error instanceof z.ZodError ? issuesOf(error).join('\n') : error);
  process.exitCode = 1;
}
