import { apiPath, type ApiCall, type ApiParameters } from './call.ts';
import { apiCalls, type ApiBody, type ApiCallName, type ApiCalls, type ApiData } from './calls.ts';
import { apiCode, readEnvelope, type ApiResult } from './result.ts';
import type { ServiceClock } from './service-clock.ts';

// Exists in every browser and in Node; device ids and tokens are ASCII.
declare function btoa(text: string): string;
/** Both hosts have it; a clock that nobody can set (High Resolution Time §4.4). */
declare const performance: { now(): number };

/** Who calls: the device, and its token while it is signed in. */
export interface ApiSession {
  readonly deviceId: string;
  readonly token: string | undefined;
}

interface HttpRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

interface HttpReply {
  status: number;
  text(): Promise<string>;
  headers?: { get(name: string): string | null };
}

/** The part of `fetch` that is used here; the browser's and Node's both satisfy it. */
export type Fetch = (url: string, request: HttpRequest) => Promise<HttpReply>;

export interface ApiClientOptions {
  /** Origin of the service, without a trailing slash; empty for the page's own origin. */
  baseUrl: string;
  fetch: Fetch;
  deviceName: string;
  /** Read before and after every call: if it has changed, the call is rejected with code 498. */
  session(): ApiSession;
  /** Called if the service refused the token in a call that ends the session. */
  endSession(): Promise<void>;
  /** Learns from the answers. */
  clock?: Pick<ServiceClock, 'learn'>;
}

export interface ApiCallInput<Name extends ApiCallName> {
  params?: ApiParameters<ApiCalls[Name]>;
  body?: ApiBody<Name>;
  /** BCP 47 tag of the language that the service's messages should be in. */
  language?: string;
}

export interface ApiClient {
  call<Name extends ApiCallName>(name: Name, input?: ApiCallInput<Name>): Promise<ApiResult<ApiData<Name>>>;
}

/** The result of asking again for something that the caller still has. `etag`: for asking the next time. */
export type Renewed<Data> = { isChanged: false } | { isChanged: true; data: Data; etag: string | undefined };

/** A client that can also ask whether something has changed (RFC 9110 §13.1.2). */
export interface RenewingApiClient extends ApiClient {
  renew<Name extends ApiCallName>(
    name: Name,
    input: ApiCallInput<Name> & { etag: string | undefined },
  ): Promise<ApiResult<Renewed<ApiData<Name>>>>;
}

interface AnyInput {
  params?: object;
  body?: unknown;
  language?: string;
  etag?: string | undefined;
}

export function createApiClient(options: ApiClientOptions): RenewingApiClient {
  async function send(call: ApiCall, input: AnyInput): Promise<ApiResult<Renewed<unknown>>> {
    const session = options.session();
    const request = buildRequest(call, input, session, options.deviceName);
    const url = options.baseUrl + apiPath(call, { ...input.params });
    let reply: { status: number; text: string; etag: string | undefined };
    const sentAt = Date.now();
    const sent = performance.now();
    let learn: () => void;
    try {
      const response = await options.fetch(url, request);
      const etag = response.headers?.get('etag') ?? undefined;
      const date = response.headers?.get('date');
      const age = response.headers?.get('age');
      const answer = { date, age, sentAt, arrivedAt: Date.now(), tookMs: performance.now() - sent };
      learn = () => options.clock?.learn(answer);
      reply = { status: response.status, text: await response.text(), etag };
    } catch (error) {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      return failed({ kind: 'network', ...(timedOut && { timedOut }) });
    }
    const now = options.session();
    if (now.deviceId !== session.deviceId || now.token !== session.token) {
      return failed({ kind: 'auth-state-changed', code: apiCode.authStateChanged });
    }
    if (reply.status === notModified && input.etag !== undefined) {
      learn();
      return { ok: true, data: { isChanged: false } };
    }
    const result = readReply(call, reply);
    // Anybody may have sent what is no answer of the service.
    if (result.ok || result.failure.kind === 'service' || result.failure.kind === 'unauthorized') learn();
    const isRefused = !result.ok && result.failure.kind === 'unauthorized';
    // Without a token, there is no session that it could end, but somebody may be signing in.
    if (isRefused && call.unauthorized === 'end-session' && session.token !== undefined) {
      await options.endSession();
    }
    return result.ok ? { ok: true, data: { isChanged: true, data: result.data, etag: reply.etag } } : result;
  }
  return {
    async call(name, input = {}) {
      const result = await send(apiCalls[name], { ...input, etag: undefined });
      if (!result.ok) return result;
      return { ok: true, data: (result.data.isChanged ? result.data.data : undefined) as never };
    },
    renew: (name, input) => send(apiCalls[name], input) as Promise<ApiResult<never>>,
  };
}

const notModified = 304;

/** A request's Authorization header (specification §7). */
export const authorizationOf = ({ deviceId, token }: ApiSession): string =>
  `Basic ${btoa(`${deviceId}:${token ?? ''}`)}`;

function buildRequest(call: ApiCall, input: AnyInput, session: ApiSession, deviceName: string): HttpRequest {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    Authorization: authorizationOf(session),
    'Content-Type': 'application/json',
  };
  if (input.language) headers['Accept-Language'] = input.language;
  if (input.etag !== undefined) headers['If-None-Match'] = input.etag;
  if (call.method === 'GET') return { method: call.method, headers };
  const device = call.sendsDevice ? { deviceId: session.deviceId, deviceName } : {};
  return {
    method: call.method,
    headers,
    body: JSON.stringify({ ...(input.body as object | undefined), ...device }),
  };
}

function readReply(call: ApiCall, reply: { status: number; text: string }): ApiResult<unknown> {
  const parsed = readEnvelope(reply.text);
  // It is not from the service: a proxy before it may refuse with any status, also with 401.
  if (!parsed.success) return failed({ kind: reply.status >= 500 ? 'network' : 'invalid-reply' });
  const { code, msg } = parsed.data;
  if (call.auth && code === apiCode.unauthorized) return failed({ kind: 'unauthorized' });
  if (code !== apiCode.success) return failed({ kind: 'service', code, msg });
  const data = call.data.safeParse(parsed.data.data);
  return data.success ? { ok: true, data: data.data } : failed({ kind: 'invalid-reply' });
}

function failed(failure: Extract<ApiResult<never>, { ok: false }>['failure']): ApiResult<never> {
  return { ok: false, failure };
}
