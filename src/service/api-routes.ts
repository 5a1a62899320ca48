import type { ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { apiCode } from '#shared/api/result.ts';
import type { Language } from '#shared/entities.ts';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from './database/database.ts';
import {
  deviceAuthentication,
  type AuthenticateDevice,
  type SignedInDevice,
} from './http/device-authentication.ts';
import { sendingDevice, type SendingDevice } from './http/device-fields.ts';
import type { Handlers } from './http/handler.ts';
import { preferredLanguage } from './http/language.ts';
import { hasNulCharacter } from './http/nul-characters.ts';
import { pageRequest, type PageRequest } from './http/page.ts';
import { refusalReply, refused, type Outcome } from './http/refusal.ts';
import { sourceOf } from './http/trusted-proxies.ts';
import { limitedCalls, type CallLimits } from './limits/limited-calls.ts';
import type { Bucket, Limiter } from './limits/limiter.ts';
import { encodeReply, sendEncoded, type EncodedReply } from './route-lists/encoded-reply.ts';

/** Any handler, as the loop below sees it; the arguments have been checked against the contract by then. */
type AnyHandler = (request: {
  params: Record<string, string>;
  body: unknown;
  device: SignedInDevice | null;
  sender: SendingDevice | null;
  publicUrl: string;
  source: string;
  address: string | undefined;
  language: Language;
  page: PageRequest | null;
  log: FastifyBaseLogger;
}) => Promise<Outcome<unknown>>;

/** Calls with larger bodies than usual: an icon, or names of thousands of programs. */
const bodyLimitBytes: Partial<Record<ApiCallName, number>> = {
  createApp: 192 * 1024,
  editApp: 192 * 1024,
  filterMyApps: 1024 * 1024,
};

/** Large lists that rarely change: they are encoded once, and revalidated by their ETag. */
const listCalls: ReadonlySet<string> = new Set<ApiCallName>(['ipv4Prefixes', 'pac']);

/** Calls whose answer says how many seats of a plan are taken. */
const seatCalls: ReadonlySet<string> = new Set<ApiCallName>(['userInfo']);

interface ApiRouteOptions {
  handlers: Partial<Handlers>;
  database: Database;
  /** Where users reach the service, without a trailing slash; if undefined, the request decides. */
  publicUrl: string | undefined;
  limiter: Limiter;
  now: () => Date;
}

/** Adds a route for every call of the API contract that has a handler. */
export function addApiRoutes(http: FastifyInstance, options: ApiRouteOptions): void {
  const authenticate = deviceAuthentication(options.database);
  const authenticateAndCount = deviceAuthentication(options.database, { countsSeats: true });
  for (const [name, call] of Object.entries(apiCalls)) {
    const handler = options.handlers[name as keyof Handlers] as AnyHandler | undefined;
    if (!handler) continue;
    const send = listCalls.has(name) ? sendList(call) : sendData(call);
    const answering = { ...options, authenticate: seatCalls.has(name) ? authenticateAndCount : authenticate };
    http.route({
      method: call.method,
      ...(name in bodyLimitBytes && { bodyLimit: bodyLimitBytes[name as ApiCallName] }),
      url: call.path.replace(/\{(\w+)\}/g, ':$1'),
      // The size of a compressed reply reveals something about its content, and these replies contain both secrets and
      // text from strangers.
      compress: false,
      async handler(request, reply) {
        const outcome = await answer({ name, call, handler }, request, answering);
        if (outcome.ok) return send(request, reply, outcome.data);
        request.log.info({ reason: outcome.reason }, 'refused');
        const refusal = refusalReply(outcome.reason, preferredLanguage(request.headers['accept-language']));
        return reply.code(refusal.code).send(refusal);
      },
    });
  }
}

type SendData = (request: FastifyRequest, reply: FastifyReply, data: unknown) => unknown;

/** The envelope of a success (specification §7). */
const successReply = (call: ApiCall, data: unknown) => ({
  code: apiCode.success,
  msg: '',
  data: call.data.parse(data),
});

const sendData =
  (call: ApiCall): SendData =>
  (_request, reply, data) =>
    reply.send(successReply(call, data));

/** Each object that the handler returns is encoded once. */
function sendList(call: ApiCall): SendData {
  const encodedLists = new WeakMap<object, Promise<EncodedReply>>();
  return async (request, reply, data) => {
    const list = data as object;
    const encoded = encodedLists.get(list) ?? encodeReply(successReply(call, list));
    encodedLists.set(list, encoded);
    return sendEncoded(request, reply, await encoded);
  };
}

async function answer(
  { name, call, handler }: { name: string; call: ApiCall; handler: AnyHandler },
  request: FastifyRequest,
  {
    authenticate,
    publicUrl,
    limiter,
    now,
  }: Omit<ApiRouteOptions, 'database'> & { authenticate: AuthenticateDevice },
): Promise<Outcome<unknown>> {
  // Read before anything is awaited: a closed connection has no address.
  const address: string | undefined = request.ip;
  const source = sourceOf(address);
  // 401 without WWW-Authenticate, although RFC 9110 §11.6.1 requires it: browsers would ask for a password.
  const device = call.auth ? await authenticate(request.headers.authorization, now()) : null;
  if (device === undefined) return refused('not-signed-in');
  const body = call.body.safeParse(request.body ?? undefined);
  const sender = call.sendsDevice ? sendingDevice.safeParse(request.body) : { success: true, data: null };
  const page = call.paged ? pageRequest.safeParse(request.query) : { success: true, data: null };
  if (!body.success || !sender.success || !page.success) return refused('invalid-fields');
  // What a device says about itself is cleaned instead.
  if (hasNulCharacter(body.data)) return refused('invalid-fields');
  const limits = limitedCalls[name as ApiCallName];
  const buckets = limits ? bucketsOf(limits, source, device) : [];
  if (buckets.length > 0 && (await limiter.take(...buckets))) return refused('too-many-requests');
  return handler({
    params: request.params as Record<string, string>,
    body: body.data,
    device,
    sender: sender.data ?? null,
    publicUrl: publicUrl ?? originOf(request),
    source,
    address,
    language: preferredLanguage(request.headers['accept-language']),
    page: page.data ?? null,
    log: request.log,
  });
}

function bucketsOf(limits: CallLimits, source: string, device: SignedInDevice | null): Bucket[] {
  return [
    ...(limits.source ? [{ limit: limits.source, of: [source] }] : []),
    ...(limits.account && device ? [{ limit: limits.account, of: [device.user.id] }] : []),
  ];
}

/** The caller's Host header only affects the answer to that caller: none of these replies is cached for others. */
function originOf({ protocol, host }: FastifyRequest): string {
  return URL.parse(`${protocol}://${host}`)?.origin ?? 'http://localhost';
}
