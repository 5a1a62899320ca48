import type { Logger } from 'pino';
import { otherAgent, userAgent } from '#shared/gateway-agent.ts';
import { gatewaySession } from '#shared/helper/protocol.ts';
import { gatewayPath } from '#shared/tunnel/address.ts';
import { gateway as gatewaySchema, type Gateway } from '#shared/tunnel/state.ts';
import { createAnswerer, type Answerer, type AskUser } from './auth-answers.ts';
import { readAuthReply, type AuthReply, type UnsupportedDemand } from './auth-form.ts';
import { initMessage, replyMessage, type GatewayClient } from './auth-message.ts';
import { authority } from '../authority.ts';
import type { ClientIdentity } from '../client-certificate.ts';
import type { ClientIdentities } from '../client-identities.ts';
import { formOfGroup } from './group-fields.ts';
import { createGroupChoice, type GroupChoice } from './group-choice.ts';
import type { GatewayMemory } from '../gateway-memory.ts';
import { pinsOf, type GatewayPins } from '../gateway-pins.ts';
import { createGatewayHttp, type GatewayHttp } from './gateway-http.ts';
import { openGatewayTls, type ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import type { GatewayAnswer, SignInFailure, SignInRequest, SignInResult } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';
import { parseXml } from '#node/anyconnect/xml.ts';

export interface SignInOptions {
  pins(): GatewayPins;
  /** Uses TCP if absent. */
  connect?: ConnectToGateway;
  memory: GatewayMemory;
  identity: ClientIdentities['of'];
  openBrowser: OpenBrowser;
  askUser: AskUser;
  log: Logger;
}

const maxForms = 10;
const maxRedirects = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Signs in at one AnyConnect-compatible gateway, with the `config-auth` forms of draft-mavrogiannopoulos-openconnect-04
 * §2.3. What a gateway says is logged, what it is told never is.
 */
export function createSignIn(options: SignInOptions): (request: SignInRequest) => Promise<GatewayAnswer> {
  return async ({ gateway, address, credentials, isRenewed, interactive, signal }) => {
    const trust = { pins: pinsOf(options.pins(), gateway.host) };
    const log = options.log.child({ gateway: gateway.host });
    const client: GatewayClient = { agent: options.memory.agent(gateway), platform: process.platform };
    /** What the gateway was shown last. */
    let identity: ClientIdentity | undefined;
    const http = createGatewayHttp({
      open: async () => {
        identity = await options.identity(gateway);
        return openGatewayTls(gateway, address, trust, signal, identity, options.connect);
      },
      host: authority(gateway),
      headers: () => ({
        // Gateways serve the XML forms only to clients with such a name.
        'User-Agent': userAgent(client.agent),
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'X-Transcend-Version': '1',
      }),
      signal,
    });
    const { openBrowser, memory } = options;
    const shown = new Set<string>();
    const askUser: AskUser = (question, abort) => {
      if (question.form.banner !== undefined) shown.add(question.form.banner);
      return options.askUser(question, abort);
    };
    const group = createGroupChoice({ gateway, memory, interactive, askUser });
    const answerer = createAnswerer({
      gateway: gateway.host,
      credentials,
      isRenewed,
      interactive,
      group: group.current,
      openBrowser,
      askUser,
    });
    const hasIdentity = () => identity !== undefined;
    const entrance = memory.path(gateway);
    const exchange = { http, gateway, entrance, client, hasIdentity, shown, log, signal };
    try {
      const outcome = asCertificate(await answerForms(exchange, answerer, group));
      if (!outcome.ok && outcome.failure === 'certificate-required') memory.setWantsCertificate(gateway);
      if (outcome.ok || outcome.failure === 'redirected') memory.setAgent(gateway, client.agent);
      if (outcome.ok) {
        const result = sessionOf(exchange, address, outcome, identity);
        if (result.ok) group.remember();
        return result;
      }
      const byUser = outcome.failure === 'sign-in-refused' && answerer.hasAsked();
      return byUser ? { ...outcome, failure: 'answer-refused' } : outcome;
    } finally {
      http.close();
    }
  };
}

interface Exchange {
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

type Failure = Extract<GatewayAnswer, { ok: false }>;
type Outcome = { ok: true; sessionToken: string | undefined; banner: string | undefined } | Failure;

async function answerForms(exchange: Exchange, answerer: Answerer, group: GroupChoice): Promise<Outcome> {
  const { client, gateway, entrance, log, signal } = exchange;
  /** What has come of the gateway's wish for a client certificate. */
  let certificate: 'not-asked' | 'presented' | 'missing' = 'not-asked';
  const begin = () => {
    const address = `https://${authority(gateway)}${entrance}`;
    return initMessage(client, address, group.current(), certificate === 'missing');
  };
  let hasAnswered = false;
  /** The banner of a form that nobody was asked to answer. */
  let unread: string | undefined;
  let message = begin();
  let path = entrance;
  for (let forms = 0; forms < maxForms; forms += 1) {
    const post = () => ask(exchange, path, { method: 'POST', body: message });
    let said = await post();
    if (forms === 0 && isForName(said)) {
      const { agent } = client;
      // Newer gateways of Cisco's answer 404 to one name (openconnect's issue 544), older ones may to the other.
      client.agent = otherAgent(agent);
      message = begin();
      const again = await post();
      if (isUnknown(again)) client.agent = agent;
      else said = again;
    }
    const old = forms === 0 && isUnknown(said) ? await askOldWay(exchange) : undefined;
    if (old) return old;
    if (!said.ok) return said.failed;
    const { reply } = said;
    switch (reply.kind) {
      case 'complete':
        return { ok: true, sessionToken: reply.sessionToken, banner: reply.banner ?? unread };
      case 'refused':
        return certificate === 'missing' && !hasAnswered
          ? certificateRequired(exchange, reply.message)
          : refused(exchange, reply.message ?? 'no reason given', reply.message);
      case 'unsupported':
        return unsupported(exchange, reply.demand, reply.message);
      case 'certificate-wanted':
        if (certificate === 'missing') return certificateRequired(exchange);
        // Some gateways forget to ask in the first handshake (openconnect's auth.c, cstp_obtain_cookie).
        if (certificate === 'not-asked' && exchange.hasIdentity()) {
          certificate = 'presented';
          exchange.http.reconnect();
        } else certificate = 'missing';
        message = begin();
        path = said.path;
        continue;
      case 'unreadable':
        return refused(exchange, 'the reply is none of the protocol');
      case 'form':
        break;
      default:
        reply satisfies never;
    }
    const isTold = certificate === 'missing' && saysCertificate(reply.form.error);
    const offered = isTold ? { ...reply.form, error: undefined } : reply.form;
    const next = pathAt(exchange, said.path, offered.action);
    if (next === undefined) return refused(exchange, 'the form belongs to another host');
    const choice = await group.choose(offered, signal);
    if (choice === 'begin-again') {
      message = begin();
      path = entrance;
      continue;
    }
    const form = formOfGroup(offered, group.current());
    const answered = choice === 'as-it-is' ? await answerer.answer(form, signal) : choice;
    if (!answered.ok) {
      log.warn(
        { failure: answered.failure, message: form.message, error: form.error },
        'sign-in form not answered',
      );
      return answered;
    }
    hasAnswered = true;
    if (form.banner !== undefined && !exchange.shown.has(form.banner)) unread = form.banner;
    message = replyMessage(client, form, answered.answers);
    path = next;
  }
  return refused(exchange, 'too many forms');
}

/** `isForName`: the gateway may not know this client by its name. */
type Said =
  | { ok: true; reply: AuthReply; path: string }
  | { ok: false; failed: Failure; isForName?: boolean };

/** Whether an answer is none of the protocol. */
const isUnknown = (said: Said) =>
  said.ok ? said.reply.kind === 'unreadable' : said.failed.failure === 'sign-in-refused';

const isForName = (said: Said) => (said.ok ? isUnknown(said) : said.isForName === true);

/**
 * Whether the gateway has a form for those who ask by GET: before 2013, they sent their forms in this way, and took
 * answers like a web page's (openconnect's auth.c, cstp_obtain_cookie). No answer is sent.
 */
async function askOldWay(exchange: Exchange): Promise<Failure | undefined> {
  const said = await ask(exchange, exchange.entrance, { method: 'GET' });
  if (!said.ok || said.reply.kind !== 'form') return undefined;
  const { error, message } = said.reply.form;
  return unsupported(exchange, 'gateway-too-old', error ?? message);
}

/** Sends one request, and follows redirects on the same host; `path` is where the answer came from. */
async function ask(exchange: Exchange, path: string, asking: Asking): Promise<Said> {
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
      return { ok: false, failed: { ok: false, failure: 'gateway-unreachable' } };
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

function sessionOf(
  { gateway, http, client, log }: Exchange,
  address: string,
  { sessionToken, banner }: Extract<Outcome, { ok: true }>,
  clientCertificate: ClientIdentity | undefined,
): SignInResult {
  const session = gatewaySession.safeParse({
    cookie: `webvpn=${sessionToken || (http.cookie('webvpn') ?? '')}`,
    certificatePin: http.pin(),
    ...(clientCertificate && { clientCertificate }),
    ...(client.agent !== 'open' && { agent: client.agent }),
  });
  if (!session.success || session.data.cookie === 'webvpn=') {
    log.warn('signed in, but the gateway gave no usable session cookie');
    return { ok: false, failure: 'sign-in-refused' };
  }
  const signedIn = { gateway, address, session: session.data };
  return { ok: true, signedIn: banner === undefined ? signedIn : { ...signedIn, banner } };
}

function certificateRequired({ log }: Exchange, words?: string): Failure {
  log.warn({ message: words }, 'the gateway asks for a client certificate');
  return failed('certificate-required', words);
}

function asCertificate(outcome: Outcome): Outcome {
  if (outcome.ok || outcome.failure !== 'sign-in-refused' || !saysCertificate(outcome.words)) return outcome;
  return { ...outcome, failure: 'certificate-required' };
}

/** Whether HTTP is to prove who the user is, by SPNEGO (RFC 4559) or NTLM; camouflaged gateways ask for Basic. */
const wantsNegotiate = (challenge: string) =>
  /(?:^|,)\s*(?:negotiate|ntlm|kerberos)\b/i.test(challenge.replaceAll(/"[^"]*"/g, ''));

/** Cisco's words for a client certificate that is missing or wrong. */
const saysCertificate = (words: string | undefined) =>
  words !== undefined && /Certificate Validation Failure/i.test(words);

/** `message`: for the log. */
function refused({ log }: Exchange, message: string, words?: string): Failure {
  log.warn({ message }, 'the gateway refused the sign-in');
  return failed('sign-in-refused', words);
}

function unsupported(
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
function pathAt({ gateway, entrance }: Exchange, here: string, target: string): string | undefined {
  const root = `https://${authority(gateway)}/`;
  const base = URL.parse(here, root);
  const url = URL.parse(target, base?.href);
  if (!base || url?.origin !== base.origin) return undefined;
  return url.pathname + (url.search || (URL.parse(entrance, root)?.search ?? ''));
}
