import type { Logger } from 'pino';
import { gatewayPath } from '#shared/tunnel/address.ts';
import { gateway as gatewaySchema, type Gateway } from '#shared/tunnel/state.ts';
import { readAuthReply, type AuthReply, type UnsupportedDemand } from './auth-form.ts';
import type { GatewayClient } from './auth-message.ts';
import { authority } from '../authority.ts';
import type { GatewayHttp } from './gateway-http.ts';
import type { GatewayAnswer, SignInFailure } from './session.ts';
import { parseXml } from '#node/anyconnect/xml.ts';

const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** What is said with one gateway while somebody signs in there. */
export interface Exchange {
  http: GatewayHttp;
  gateway: Gateway;
  /** Where the sign-in begins: path and query. */
  entrance: string;
  client: GatewayClient;
  /** Whether the open connection may present a client certificate. */
  hasIdentity(): boolean;
  /** Banners that the user has seen beside a question. */
  shown: ReadonlySet<string>;
  log: Logger;
  signal: AbortSignal;
}

/** A request of the protocol: a message in XML, or the GET of gateways that know none. */
type Asking = { method: 'POST'; body: string } | { method: 'GET' };

export type Failure = Extract<GatewayAnswer, { ok: false }>;

/** `isForName`: the gateway may not know this client by its name. */
type Said =
  | { ok: true; reply: AuthReply; path: string }
  | { ok: false; failed: Failure; isForName?: boolean };

/** Whether an answer is none of the protocol. */
export const isUnknown = (said: Said) =>
  said.ok ? said.reply.kind === 'unreadable' : said.failed.failure === 'sign-in-refused';

export const isForName = (said: Said) => (said.ok ? isUnknown(said) : said.isForName === true);

/** Sends one request, and follows redirects on the same host; `path` is where the answer came from. */
export async function ask(exchange: Exchange, path: string, asking: Asking): Promise<Said> {
  const { http, log } = exchange;
  for (let redirects = 0, here = path; redirects <= maxRedirects; redirects += 1) {
    const result = await (asking.method === 'GET' ? http.get(here) : http.post(here, asking.body));
    if (!result.ok) {
      log.warn({ failure: result.failure, detail: result.detail }, 'gateway not reached');
      const { failure, cause } = result;
      return { ok: false, failed: { ok: false, failure, ...(cause && { cause }) } };
    }
    if (result.status === 200) return { ok: true, reply: readAuthReply(parseXml(result.body)), path: here };
    if (result.status >= 500) {
      log.warn({ status: result.status }, 'gateway out of order');
      const cause = 'gateway-refuses-connections';
      return { ok: false, failed: { ok: false, failure: 'gateway-unreachable', cause } };
    }
    if (result.status === 401 && wantsNegotiate(result.challenge)) {
      return { ok: false, failed: unsupported(exchange, 'domain-sign-in-required') };
    }
    const redirect = redirectStatuses.has(result.status) ? result.location : undefined;
    // ocserv says "No certificate" instead of sending a form.
    if (result.status === 401 && /certificate/i.test(result.reason))
      return { ok: false, failed: certificateRequired(exchange) };
    if (redirect === undefined) {
      const failed = refused(exchange, `status ${result.status} ${result.reason}`);
      return { ok: false, failed, isForName: true };
    }
    const next = pathAt(exchange, here, redirect);
    if (next === undefined) return { ok: false, failed: elsewhere(exchange, redirect) };
    here = next;
  }
  return { ok: false, failed: refused(exchange, 'too many redirects') };
}

/** `target` as the address of another gateway; nothing is sent there from here. */
function elsewhere(exchange: Exchange, target: string): Failure {
  const url = URL.parse(target);
  const to = gatewaySchema.safeParse({
    host: url?.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url?.port || 443),
  });
  const path = gatewayPath.safeParse(url && url.pathname + url.search);
  if (url?.protocol !== 'https:' || url.username || url.password || !to.success || !path.success) {
    return refused(exchange, 'redirected to what is no gateway');
  }
  return { ok: false, failure: 'redirected', to: to.data, path: path.data };
}

/** Whether HTTP is to prove who the user is, by SPNEGO (RFC 4559) or NTLM; camouflaged gateways ask for Basic. */
const wantsNegotiate = (challenge: string) =>
  /(?:^|,)\s*(?:negotiate|ntlm|kerberos)\b/i.test(challenge.replaceAll(/"[^"]*"/g, ''));

export function certificateRequired({ log }: Exchange, words?: string): Failure {
  log.warn({ message: words }, 'the gateway asks for a client certificate');
  return failed('certificate-required', words);
}

/** `message`: for the log. */
export function refused({ log }: Exchange, message: string, words?: string): Failure {
  log.warn({ message }, 'the gateway refused the sign-in');
  return failed('sign-in-refused', words);
}

export function unsupported(
  { log }: Exchange,
  failure: UnsupportedDemand | 'domain-sign-in-required' | 'gateway-too-old',
  words?: string,
): Failure {
  log.warn({ failure, message: words }, 'the gateway wants what is not supported');
  return failed(failure, words);
}

const failed = (failure: SignInFailure, words?: string): Failure => ({
  ok: false,
  failure,
  ...(words !== undefined && { words }),
});

/**
 * Path and query of `target` relative to `here`, or undefined if it is not on this gateway. The query with which the
 * sign-in began goes on where there is no other: gateways that hide behind a web page want it on every connection
 * (ocserv's `camouflage`).
 */
export function pathAt({ gateway, entrance }: Exchange, here: string, target: string): string | undefined {
  const root = `https://${authority(gateway)}/`;
  const base = URL.parse(here, root);
  const url = URL.parse(target, base?.href);
  if (!base || url?.origin !== base.origin) return undefined;
  return url.pathname + (url.search || (URL.parse(entrance, root)?.search ?? ''));
}
