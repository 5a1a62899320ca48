import type { ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { apiCode } from '#shared/api/result.ts';
import type { Language } from '#shared/entities.ts';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from './database.ts';
import { authenticateDevice, type SignedInDevice } from './device-authentication.ts';
import { sendingDevice, type SendingDevice } from './device-fields.ts';
import type { Handlers } from './handler.ts';
import { preferredLanguage } from './language.ts';
import { refusalReply, refused, type Outcome } from './refusal.ts';

/** Any handler, as the loop below sees it: what the contract says of a call was checked by then. */
type AnyHandler = (request: {
  params: Record<string, string>;
  body: unknown;
  device: SignedInDevice | null;
  sender: SendingDevice | null;
  language: Language;
  log: FastifyBaseLogger;
}) => Promise<Outcome<unknown>>;

/** Calls whose bodies can be larger than others': with an icon, or with names of thousands of programs. */
const bodyLimitBytes: Partial<Record<ApiCallName, number>> = {
  createApp: 192 * 1024,
  editApp: 192 * 1024,
  filterMyApps: 1024 * 1024,
};

/** Adds a route for every call of the API contract. */
export function addApiRoutes(
  app: FastifyInstance,
  options: { handlers: Handlers; database: Database; now: () => Date; signInsPerMinute: number },
): void {
  for (const [name, call] of Object.entries(apiCalls)) {
    const handler = options.handlers[name as keyof Handlers] as AnyHandler;
    app.route({
      method: call.method,
      ...(name in bodyLimitBytes && { bodyLimit: bodyLimitBytes[name as ApiCallName] }),
      url: call.path.replace(/\{(\w+)\}/g, ':$1'),
      // The calls that anybody can make and that cost a mail or a guess.
      config: call.sendsDevice ? { rateLimit: { max: options.signInsPerMinute, timeWindow: 60_000 } } : {},
      async handler(request, reply) {
        const outcome = await answer(call, handler, request, options);
        const result = outcome.ok
          ? { code: apiCode.success, msg: '', data: call.data.parse(outcome.data) }
          : refusalReply(outcome.reason, preferredLanguage(request.headers['accept-language']));
        return reply.code(outcome.ok ? 200 : result.code).send(result);
      },
    });
  }
}

async function answer(
  call: ApiCall,
  handler: AnyHandler,
  request: FastifyRequest,
  { database, now }: { database: Database; now: () => Date },
): Promise<Outcome<unknown>> {
  // A 401 goes without WWW-Authenticate (RFC 9110 §11.6.1 wants it): browsers would ask for a password.
  const device = call.auth ? await authenticateDevice(database, request.headers.authorization, now()) : null;
  if (device === undefined) return refused('not-signed-in');
  const body = call.body.safeParse(request.body ?? undefined);
  const sender = call.sendsDevice ? sendingDevice.safeParse(request.body) : { success: true, data: null };
  if (!body.success || !sender.success) return refused('invalid-fields');
  return handler({
    params: request.params as Record<string, string>,
    body: body.data,
    device,
    sender: sender.data ?? null,
    language: preferredLanguage(request.headers['accept-language']),
    log: request.log,
  });
}
