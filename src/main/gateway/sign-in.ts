import { isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { gatewaySession } from '#shared/helper/protocol.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import { createAnswerer, type Answerer, type AskUser } from './auth-answers.ts';
import { readAuthReply, type AuthReply } from './auth-form.ts';
import { initMessage, replyMessage, type GatewayClient } from './auth-message.ts';
import { createGatewayHttp, type GatewayHttp } from './gateway-http.ts';
import { openGatewayTls } from './gateway-tls.ts';
import type { SignIn, SignInFailure, SignInResult } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';
import { parseXml } from './xml.ts';

export interface SignInOptions {
  /** Pinned keys by host name; a gateway without any is verified against the system's roots. */
  pins(): Readonly<Record<string, readonly string[]>>;
  openBrowser: OpenBrowser;
  askUser: AskUser;
  /** The app's version. */
  version: string;
  log: Logger;
}

const mostForms = 10;
const mostRedirects = 5;

/**
 * Signs in to AnyConnect-compatible gateways: the `config-auth` forms of
 * draft-mavrogiannopoulos-openconnect-04 §2.3. What a gateway says is logged, what it is told never.
 */
export function createSignIn(options: SignInOptions): SignIn {
  const client: GatewayClient = { version: options.version, platform: process.platform };

  return async ({ gateway, address, credentials, interactive, signal }) => {
    const pins = options.pins();
    const name = gateway.host.toLowerCase();
    const trust = { pins: (Object.hasOwn(pins, name) && pins[name]) || [] };
    const log = options.log.child({ gateway: gateway.host });
    const http = createGatewayHttp({
      open: () => openGatewayTls(gateway, address, trust, signal),
      host: authority(gateway),
      headers: {
        // Gateways serve the XML forms only to clients that call themselves so.
        'User-Agent': `Open AnyConnect VPN Agent v${options.version} (Waymaker)`,
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'Content-Type': 'application/xml; charset=utf-8',
        'X-Transcend-Version': '1',
        'X-Aggregate-Auth': '1',
      },
      signal,
    });
    const { openBrowser, askUser } = options;
    const answerer = createAnswerer({
      gateway: gateway.host,
      credentials,
      interactive,
      openBrowser,
      askUser,
    });
    const exchange = { http, gateway, client, log, signal };
    try {
      const outcome = await answerForms(exchange, answerer);
      if (outcome.ok) return sessionOf(exchange, address, outcome.sessionToken);
      const byUser = outcome.failure === 'sign-in-refused' && answerer.hasAsked();
      return byUser ? { ok: false, failure: 'answer-refused' } : outcome;
    } finally {
      http.close();
    }
  };
}

interface Exchange {
  http: GatewayHttp;
  gateway: Gateway;
  client: GatewayClient;
  log: Logger;
  signal: AbortSignal;
}

type Outcome = { ok: true; sessionToken: string | undefined } | { ok: false; failure: SignInFailure };

async function answerForms(exchange: Exchange, answerer: Answerer): Promise<Outcome> {
  const { client, gateway, log, signal } = exchange;
  let message = initMessage(client, `https://${authority(gateway)}/`);
  let path = '/';
  for (let forms = 0; forms < mostForms; forms += 1) {
    const said = await ask(exchange, path, message);
    if (!said.ok) return said;
    const { reply } = said;
    switch (reply.kind) {
      case 'complete':
        if (reply.banner !== undefined) log.info({ banner: reply.banner }, 'the gateway welcomes');
        return { ok: true, sessionToken: reply.sessionToken };
      case 'refused':
        return refused(exchange, reply.message ?? 'no reason given');
      case 'unreadable':
        return refused(exchange, 'the reply is none of the protocol');
      case 'form':
        break;
      default:
        reply satisfies never;
    }
    const { form } = reply;
    const next = pathAt(gateway, said.path, form.action);
    if (next === undefined) return refused(exchange, 'the form belongs to another host');
    const answered = await answerer.answer(form, signal);
    if (!answered.ok) {
      log.warn(
        { failure: answered.failure, message: form.message, error: form.error },
        'sign-in form not answered',
      );
      return answered;
    }
    message = replyMessage(client, form, answered.answers);
    path = next;
  }
  return refused(exchange, 'too many forms');
}

/** Sends one message, following redirects on the same host; `path` is where the answer came from. */
async function ask(
  exchange: Exchange,
  path: string,
  message: string,
): Promise<{ ok: true; reply: AuthReply; path: string } | { ok: false; failure: SignInFailure }> {
  const { http, gateway, log } = exchange;
  for (let redirects = 0, here = path; redirects <= mostRedirects; redirects += 1) {
    const result = await http.post(here, message);
    if (!result.ok) {
      log.warn({ failure: result.failure, detail: result.detail }, 'gateway not reached');
      return { ok: false, failure: result.failure };
    }
    if (result.status === 200) return { ok: true, reply: readAuthReply(parseXml(result.body)), path: here };
    if (result.status >= 500) {
      log.warn({ status: result.status }, 'gateway out of order');
      return { ok: false, failure: 'gateway-unreachable' };
    }
    const redirect = result.status >= 300 && result.status < 400 ? result.location : undefined;
    const next = redirect === undefined ? undefined : pathAt(gateway, here, redirect);
    if (next === undefined) return refused(exchange, `status ${result.status}`);
    here = next;
  }
  return refused(exchange, 'too many redirects');
}

function sessionOf({ http, log }: Exchange, address: string, token: string | undefined): SignInResult {
  const session = gatewaySession.safeParse({
    cookie: `webvpn=${token || (http.cookie('webvpn') ?? '')}`,
    certificatePin: http.pin(),
  });
  if (!session.success || session.data.cookie === 'webvpn=') {
    log.warn('signed in, but the gateway gave no usable session cookie');
    return { ok: false, failure: 'sign-in-refused' };
  }
  return { ok: true, signedIn: { address, session: session.data } };
}

function refused({ log }: Exchange, message: string): { ok: false; failure: 'sign-in-refused' } {
  log.warn({ message }, 'the gateway refused the sign-in');
  return { ok: false, failure: 'sign-in-refused' };
}

/** Path and query of `target` as seen from `here`, or undefined if it is not on this gateway. */
function pathAt(gateway: Gateway, here: string, target: string): string | undefined {
  const base = URL.parse(here, `https://${authority(gateway)}/`);
  const url = URL.parse(target, base?.href);
  return base && url?.origin === base.origin ? url.pathname + url.search : undefined;
}

/** Host, and port unless it is the default one. */
function authority({ host, port }: Gateway): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 443 ? name : `${name}:${port}`;
}
