import type { Logger } from 'pino';
import { otherAgent, userAgent } from '#shared/gateway-user-agent.ts';
import { gatewaySession, maxTlsSessionChars } from '#shared/helper/gateway-session.ts';
import { createAnswerer, type Answerer, type AskUser } from './auth-answers.ts';
import { initMessage, replyMessage, type GatewayClient } from './auth-message.ts';
import { authority } from '../authority.ts';
import type { ClientIdentity } from '../client-certificate.ts';
import type { ClientIdentities } from '../client-identities.ts';
import {
  ask,
  certificateRequired,
  isForName,
  isUnknown,
  pathAt,
  refused,
  unsupported,
  type Exchange,
  type Failure,
} from './exchange.ts';
import { formOfGroup } from './group-fields.ts';
import { createGroupChoice, type GroupChoice } from './group-choice.ts';
import type { GatewayMemory } from '../gateway-memory.ts';
import { pinsOf, type GatewayPins } from '../gateway-pins.ts';
import { createGatewayHttp } from './gateway-http.ts';
import { openFirst, type AddressTry } from '#node/anyconnect/address-race.ts';
import { openGatewayTls, type ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import type { GatewayAnswer, SignInRequest, SignInResult } from './session.ts';
import type { OpenBrowser } from './single-sign-on.ts';

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

/**
 * Signs in at one AnyConnect-compatible gateway, with the `config-auth` forms of draft-mavrogiannopoulos-openconnect-04
 * §2.3. What a gateway says is logged, what it is told never is.
 */
export function createSignIn(options: SignInOptions): (request: SignInRequest) => Promise<GatewayAnswer> {
  return async ({ gateway, credentials, isRenewed, interactive, onVerified, signal, ...where }) => {
    const trust = { pins: pinsOf(options.pins(), gateway.host) };
    const log = options.log.child({ gateway: gateway.host });
    const client: GatewayClient = { agent: options.memory.agent(gateway) };
    /** What the gateway was shown last. */
    let identity: ClientIdentity | undefined;
    /** Where it may be; once it has answered, only there: at another address may be another machine. */
    let addresses = [where.address, ...(where.otherAddresses ?? [])];
    const openAt = async (address: string, one: AddressTry) => {
      const { connect } = options;
      const result = await openGatewayTls(
        gateway,
        address,
        trust,
        one.signal,
        identity,
        connect,
        one.onConnected,
      );
      return result.ok ? { ...result, address } : result;
    };
    const http = createGatewayHttp({
      open: async () => {
        identity = await options.identity(gateway);
        const isFirst = http.pin() === undefined;
        const result = await openFirst(addresses, openAt, ({ socket }) => void socket.destroy(), signal);
        if (!result.ok) return result;
        const { address, pin } = result;
        addresses = [address];
        const shown = identity && { clientCertificate: identity };
        if (isFirst) onVerified?.({ gateway, address, trust: { certificatePin: pin, ...shown } });
        return result;
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
        const result = sessionOf(exchange, addresses[0] ?? where.address, outcome, identity);
        if (result.ok) group.remember();
        return result;
      }
      const [from = where.address] = addresses;
      if (outcome.failure === 'redirected') return { ...outcome, from };
      const byUser = outcome.failure === 'sign-in-refused' && answerer.hasTyped();
      return byUser ? { ...outcome, failure: 'answer-refused' } : outcome;
    } finally {
      http.close();
    }
  };
}

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

function sessionOf(
  { gateway, http, client, log }: Exchange,
  address: string,
  { sessionToken, banner }: Extract<Outcome, { ok: true }>,
  clientCertificate: ClientIdentity | undefined,
): SignInResult {
  const tlsSession = http.tlsSession()?.toString('base64');
  const session = gatewaySession.safeParse({
    cookie: `webvpn=${sessionToken || (http.cookie('webvpn') ?? '')}`,
    certificatePin: http.pin(),
    ...(clientCertificate && { clientCertificate }),
    ...(client.agent !== 'open' && { agent: client.agent }),
    ...(tlsSession !== undefined && tlsSession.length <= maxTlsSessionChars && { tlsSession }),
  });
  if (!session.success || session.data.cookie === 'webvpn=') {
    log.warn('signed in, but the gateway gave no usable session cookie');
    return { ok: false, failure: 'sign-in-refused' };
  }
  const signedIn = { gateway, address, session: session.data };
  return { ok: true, signedIn: banner === undefined ? signedIn : { ...signedIn, banner } };
}

function asCertificate(outcome: Outcome): Outcome {
  if (outcome.ok || outcome.failure !== 'sign-in-refused' || !saysCertificate(outcome.words)) return outcome;
  return { ...outcome, failure: 'certificate-required' };
}

/** Cisco's words for a client certificate that is missing or wrong. */
const saysCertificate = (words: string | undefined) =>
  words !== undefined && /Certificate Validation Failure/i.test(words);
