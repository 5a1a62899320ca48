import type { Logger } from 'pino';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import {
  helperError,
  maxOtherAddresses,
  type Deadline,
  type ProxyAtAddress,
  type ReachabilityTarget,
} from '#shared/helper/protocol.ts';
import type { GatewaySession, ProxyCredentials } from '#shared/helper/gateway-session.ts';
import type { SharedLists, WantedRouting } from '#shared/tunnel/shared-lists.ts';
import type { DisconnectReason, Gateway } from '#shared/tunnel/state.ts';
import { reachOf } from '../gateway/address-reach.ts';
import type { GatewayAddresses } from '../gateway/gateway-addresses.ts';
import type { SignedIn, VerifiedGateway } from '../gateway/sign-in/session.ts';
import type { PreferencesStore, WantedTunnel } from '../preferences/preferences.ts';
import type { Destination, Destinations } from './destination.ts';
import type { HelperClient } from './helper-client.ts';
import { createListSender, type RoutingParams } from './list-sender.ts';

/** Requests to the helper about a tunnel. Each rejects if the helper refuses, or if there is none. */
export interface TunnelRequests {
  /** Without a session, traffic is blocked until one is provided; without an address, until a connect with one. */
  connect(destination: Destination, address: string | undefined): Promise<void>;
  connectWith(destination: Destination, signedIn: SignedIn): Promise<void>;
  /** Where a sign-in may look for this gateway beside that address, once a connection was asked for there. */
  signInBeside(gateway: Gateway, address: string): string[];
  /** Lets a sign-in look for it at all of these, also where the helper has a connection from before. */
  tellForSignIn(gateway: Gateway, address: string): Promise<void>;
  /** Has a connection to the session's gateway held ready, for `connectWith`. */
  hold(signedIn: SignedIn): Promise<void>;
  /** The same while a session is waited for, for `provide`; does nothing if this helper has it not. */
  holdAtSignIn(verified: VerifiedGateway): Promise<void>;
  dropHeld(): Promise<void>;
  /** For the connection that waits for it, and was asked for at `at`; not a failure if none waits any more. */
  provide(signedIn: SignedIn, at?: string): Promise<void>;
  /** Tells the helper at which addresses the connection's gateway may be, if that is news to it. */
  tellAddresses(gateway: Gateway): Promise<void>;
  /** With a reason, it counts as a failure, after which the kill switch blocks traffic. */
  disconnect(reason: DisconnectReason | undefined): Promise<void>;
  /** Makes the connection what is wanted now, or the one that the helper comes back with. */
  change(wanted: WantedTunnel): Promise<void>;
}

interface ProxyToGateway extends ProxyAtAddress {
  /** The proxy's own name or address. */
  host: string;
  addresses: readonly string[];
  credentials?: ProxyCredentials | undefined;
  /** Its key, once it has proved who it is. */
  certificatePin?: string | undefined;
}

export interface TunnelRequestsOptions {
  helper: HelperClient;
  addresses: Pick<GatewayAddresses, 'known' | 'remember' | 'remembered'>;
  /** The proxy that leads to this host, at the addresses in `addresses`. */
  proxyTo?: ((host: string) => ProxyToGateway | undefined) | undefined;
  /** Whether the proxy on the way to this host has refused its credentials, or wants some. */
  isProxyRefused?: ((host: string) => boolean) | undefined;
  preferences: Pick<PreferencesStore, 'forTunnel'>;
  /** A session has been passed to the helper. */
  onSession: (signedIn: SignedIn) => void;
  /** Internet hosts that a tunnel should be able to reach. */
  reachabilityTargets?: () => readonly ReachabilityTarget[];
  destinations: Pick<Destinations, 'at' | 'goOn'>;
  /** When a connection to it has to end, if that is known. */
  deadline: (destination: Destination) => Deadline | undefined;
  log: Logger;
}

/** As an earlier helper takes them. */
const withoutRealm = ({ username, password }: ProxyCredentials): ProxyCredentials => ({ username, password });

export function createTunnelRequests({
  helper,
  addresses,
  proxyTo = () => undefined,
  isProxyRefused = () => false,
  preferences,
  onSession,
  reachabilityTargets = () => [],
  destinations,
  deadline,
  log,
}: TunnelRequestsOptions): TunnelRequests {
  /** Settles when the helper has answered the last request for a connection. */
  let asked: Promise<unknown> = Promise.resolve();
  /** Settles when the helper has the lists that earlier requests need; later requests must not overtake these. */
  let listsSent: Promise<unknown> = Promise.resolve();
  /** Settles when the helper has the lists that the next request is going to need. */
  let listsAhead: Promise<unknown> = Promise.resolve();
  let lastAhead: { attachment: object; lists: SharedLists } | undefined;
  const withNamedLists = createListSender(helper, log);
  /** How the last connection was asked for; undefined if it was by an earlier process. */
  let through: { proxy: ProxyToGateway | undefined } | undefined;
  /** Whether that is how the host is reached now, too: a proxy’s addresses and password are for nobody else. */
  function isStill(host: string): boolean {
    const now = proxyTo(host);
    return !through || (now && placeOf(now)) === (through.proxy && placeOf(through.proxy));
  }
  /** The other addresses of its gateway that a helper knows. */
  let told: { attachment: object | undefined; others: string } | undefined;
  /** Whether there was no helper to notify; it may come back with an earlier connection. */
  let isUnsent = false;

  helper.onState((state) => {
    if (state.state === 'disconnected') void sendListsAhead();
    if (!isUnsent || state.state === 'invalid') return;
    change(preferences.forTunnel()).catch((error: unknown) =>
      log.error({ err: error }, 'the preferences cannot be applied'),
    );
  });

  /**
   * After a click, nothing is blocked before the helper has them. If that fails, the next request sends them. Not while
   * a connection is being requested: its lists must not be replaced before the helper knows it.
   */
  async function sendListsAhead(): Promise<void> {
    const last = asked;
    await last;
    if (asked !== last || helper.state().state !== 'disconnected') return;
    const attachment = helper.attachment();
    const { routing, lists } = preferences.forTunnel();
    if (!attachment || !lists || !helper.capabilities()?.includes('lists')) return;
    if (lastAhead?.attachment === attachment && lastAhead.lists === lists) return;
    lastAhead = { attachment, lists };
    listsAhead = Promise.all([listsAhead, listsSent])
      .then(() => withNamedLists({ routing, lists }))
      .catch((error: unknown) => log.info({ err: error }, 'the lists could not be sent ahead'));
  }

  function prepareRouting({ routing, lists }: WantedRouting): Promise<RoutingParams> {
    const ready = Promise.all([listsSent, lists && listsAhead]).then(() =>
      withNamedLists({ routing, ...(lists && { lists }) }),
    );
    listsSent = ready.catch(() => undefined);
    return ready;
  }

  async function change({ routing, lists, killSwitch, allowIncoming }: WantedTunnel): Promise<void> {
    // A connection that is being requested has the earlier preferences, and cannot be changed yet.
    await asked;
    const now = helper.state();
    const { state, ownedByOther } = now;
    isUnsent = state === 'invalid';
    if (state === 'disconnected') void sendListsAhead();
    if (ownedByOther || (state !== 'connecting' && state !== 'connected')) return;
    try {
      const prepared = await prepareRouting({ routing, ...(lists && { lists }) });
      await helper.call('setRouting', {
        ...prepared,
        killSwitch,
        ...(allowIncoming !== undefined && {
          allowIncoming: allowIncoming || destinations.at(now.gateway).incoming,
        }),
      });
    } catch (error) {
      // It has ended meanwhile; the next one uses the new preferences.
      if (!isWrongState(error)) throw error;
    }
  }

  /** What this helper takes of a session: an earlier one knows no client certificates, or no names. */
  function forHelper<Given extends VerifiedGateway['trust']>(
    given: Given,
    proxy: ProxyToGateway | undefined,
  ) {
    const { clientCertificate, agent, tlsSession, ...session } = given;
    const { credentials, certificatePin: key } = proxy ?? {};
    const takes = (capability: string) => helper.capabilities()?.includes(capability) === true;
    return {
      ...session,
      ...(clientCertificate && takes('client-certificate') && { clientCertificate }),
      ...(agent && takes('gateway-agent') && { agent }),
      ...(tlsSession !== undefined && takes('tls-session') && { tlsSession }),
      ...(credentials &&
        takes('proxy') && {
          proxyCredentials: takes('proxy-realm') ? credentials : withoutRealm(credentials),
        }),
      ...(proxy?.protocol === 'https' &&
        key !== undefined &&
        takes('proxy-tls') && { proxyIdentity: { name: proxy.host, certificatePin: key } }),
    };
  }

  /** Where the gateway may be besides, if this helper can go on there; never nearer to this machine. */
  function othersThan(address: string | undefined, host: string): string[] {
    if (address === undefined || !helper.capabilities()?.includes('addresses')) return [];
    return addresses
      .known(host)
      .filter((other) => other !== address && reachOf(other) >= reachOf(address))
      .slice(0, maxOtherAddresses);
  }

  /** How that address of a gateway is reached. */
  function wayTo({ host }: Gateway, given: string | undefined) {
    const proxy = given === undefined ? undefined : proxyTo(host);
    // It may be of a sign-in from before there was this proxy, whose password must not go there.
    const address = proxy && !proxy.addresses.includes(given ?? '') ? proxy.addresses[0] : given;
    return { proxy, address };
  }

  async function connect(to: Destination, given?: string, session?: GatewaySession): Promise<void> {
    const { gateway, split, incoming } = to;
    const { proxy, address } = wayTo(gateway, given);
    through = { proxy };
    destinations.goOn(to);
    const [end, targets] = [deadline(to), reachabilityTargets()];
    const { routing, lists, allowIncoming, ...preferred } = preferences.forTunnel();
    const otherAddresses = othersThan(address, gateway.host);
    told = { attachment: helper.attachment(), others: otherAddresses.join() };
    const answer = prepareRouting({ routing, ...(lists && { lists }) }).then((prepared) =>
      helper.call('connect', {
        gateway,
        ...(address !== undefined && { address }),
        ...(proxy && { proxy: { protocol: proxy.protocol, port: proxy.port } }),
        ...(otherAddresses.length > 0 && { otherAddresses }),
        ...preferred,
        ...prepared,
        ...(split && { split }),
        ...(allowIncoming !== undefined && (allowIncoming || incoming) && { allowIncoming: true }),
        ...(session && { session: forHelper(session, proxy) }),
        ...(end && { deadline: end }),
        ...(targets.length > 0 && { reachabilityTargets: [...targets] }),
      }),
    );
    asked = answer.catch(() => undefined);
    await answer;
    if (address !== undefined) addresses.remember(gateway.host, address);
  }

  async function hold(
    { gateway, address: given, trust }: VerifiedGateway,
    besides: (address: string) => string[],
  ): Promise<void> {
    const { proxy, address } = wayTo(gateway, given);
    // Its password would have to be asked for.
    if (address === undefined || (proxy && isProxyRefused(gateway.host))) return;
    const otherAddresses = besides(address);
    await helper.call('holdConnection', {
      gateway,
      address,
      ...(proxy && { proxy: { protocol: proxy.protocol, port: proxy.port } }),
      ...(otherAddresses.length > 0 && { otherAddresses }),
      trust: forHelper(trust, proxy),
    });
  }

  /** It may have gone on to another one, so that the first one is not in use any more. */
  async function tell(address: string, others: readonly string[]): Promise<void> {
    try {
      await helper.call('setAddresses', {
        otherAddresses: [address, ...others].slice(0, maxOtherAddresses),
      });
    } catch (error) {
      if (!isWrongState(error)) throw error;
    }
  }

  const canSignInBeside = () => helper.capabilities()?.includes('sign-in-addresses') === true;

  return {
    connect: (destination, address) => connect(destination, address),
    async connectWith(destination, signedIn) {
      const { gateway, address, session } = signedIn;
      await connect({ ...destination, gateway }, address, session);
      onSession(signedIn);
    },
    hold: ({ gateway, address, session: { cookie: _later, ...trust } }) =>
      hold({ gateway, address, trust }, (own) => othersThan(own, gateway.host)),
    async holdAtSignIn(verified) {
      // It has just answered at this one.
      if (helper.capabilities()?.includes('hold-at-sign-in')) await hold(verified, () => []);
    },
    async dropHeld() {
      await helper.call('dropHeld', {});
    },
    signInBeside: ({ host }, address) => (canSignInBeside() ? othersThan(address, host) : []),
    async tellForSignIn({ host }, address) {
      if (canSignInBeside() && isStill(host)) await tell(address, othersThan(address, host));
    },
    async provide(signedIn, at = signedIn.address) {
      const { address, gateway } = signedIn;
      const { host } = gateway;
      addresses.remember(host, address);
      try {
        await listsSent;
        const proxy = isStill(host) ? proxyTo(host) : undefined;
        await helper.call('provideSession', {
          session: forHelper(signedIn.session, proxy),
          ...(canSignInBeside() && address !== at && { address }),
        });
        onSession(signedIn);
      } catch (error) {
        if (!isWrongState(error)) throw error;
        log.info('the session came too late');
      }
    },
    async tellAddresses({ host }) {
      const address = addresses.remembered(host);
      const others = othersThan(address, host);
      if (address === undefined || others.length === 0 || !isStill(host)) return;
      const news = { attachment: helper.attachment(), others: others.join() };
      if (news.attachment === told?.attachment && news.others === told?.others) return;
      told = news;
      await tell(address, others);
    },
    async disconnect(reason) {
      await listsSent;
      try {
        await helper.call('disconnect', reason === undefined ? {} : { reason });
      } catch (error) {
        const isUnknown = error instanceof ResponseError && error.code === ErrorCodes.InvalidParams;
        if (reason === undefined || !isUnknown) throw error;
        await helper.call('disconnect', { reason: earlierReason(reason) });
      }
    },
    change,
  };
}

/** What an earlier helper is told, which knows fewer reasons: it would go on waiting for a session otherwise. */
const earlierReason = (reason: DisconnectReason): DisconnectReason =>
  reason === 'gateway-certificate-dates' ? 'gateway-certificate-refused' : 'gateway-unreachable';

const placeOf = ({ protocol, host, port }: ProxyToGateway) => `${protocol} ${host} ${port}`;

function isWrongState(error: unknown): boolean {
  return error instanceof ResponseError && error.code === helperError.wrongState;
}
