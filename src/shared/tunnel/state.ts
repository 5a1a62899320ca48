import * as z from 'zod/mini';
import { isCanonicalPrefix, isLocalPrefix } from './prefix.ts';
import { canonicalDomainLists, ownDomains } from './route-config.ts';

/**
 * The tunnel's state as the helper emits it, which is the only source of truth about the tunnel. Readers ignore
 * properties that they do not know, because an app around a webview may be newer than the page.
 */

/** With the underscore that no name of a host has by RFC 1123 §2.1, and real ones have. */
const hostName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(253),
    z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9._:-]*[A-Za-z0-9])?$/, 'not a host name or address'),
  );
const port = z.int().check(z.minimum(1), z.maximum(65535));

export const gateway = z.object({ host: hostName, port });
export type Gateway = z.infer<typeof gateway>;

/**
 * `path`: where the sign-in begins, if servers share the gateway and differ in that; absent too if it is not known.
 * `serverId`: of the server that was connected to, if it is known which one. Only hosts add these: the helper knows no
 * servers.
 */
const shownGateway = z.extend(gateway, {
  path: z.optional(z.string().check(z.maxLength(256))),
  serverId: z.optional(z.string().check(z.maxLength(256))),
});

/** Why a tunnel ended, or could not be established. Each reason has its own text for users. */
export const disconnectReason = z.enum([
  'gateway-name-unknown',
  'gateway-unreachable',
  /** The same, where its cause is known: nothing listens there, or no way leads there. */
  'gateway-refuses-connections',
  'gateway-without-route',
  /** Or TLS failed, with an alert for example, or because the gateway only knows what is no longer safe. */
  'gateway-tls-failed',
  'gateway-tls-outdated',
  /** Or has no secure renegotiation (RFC 5746). */
  'gateway-renegotiation-unsafe',
  'gateway-certificate-refused',
  /** The same, because it is not valid by this computer's clock: it has expired, or begins later. */
  'gateway-certificate-dates',
  /** One of those above, because a captive portal keeps the gateway out of reach. */
  'captive-portal',
  'sign-in-refused',
  'sign-in-cancelled',
  /** The gateway refused after the user had answered one of its forms, e.g. with a wrong one-time code. */
  'answer-refused',
  /** The gateway wants a certificate from its user, and was offered none that it accepts. */
  'certificate-required',
  /** The gateway wants a program of its own to inspect this machine. */
  'host-scan-required',
  /** The gateway wants one certificate of the machine and one of its user. */
  'several-certificates-required',
  /** The gateway only takes the ticket of a Kerberos or NTLM domain (HTTP's Negotiate). */
  'domain-sign-in-required',
  /** The gateway only knows the protocol's form from before XML messages. */
  'gateway-too-old',
  /** Sign-ins succeed, but the gateway refuses each session: it limits the sessions of an account. */
  'too-many-sessions',
  /** The kill switch would have to let all traffic out for such a sign-in. */
  'browser-sign-in-blocked',
  /** The service no longer lists this gateway. */
  'server-removed',
  'session-ended',
  'configuration-failed',
  /** The gateway assigned an address that is in one of this machine's networks. */
  'address-conflict',
  'engine-failed',
  /** The gateway needs an engine that is not installed. */
  'engine-unsuited',
  /** The proxy on the way refuses to connect to the gateway, or authenticates in a way that is not supported. */
  'proxy-refused',
  'proxy-credentials',
  'proxy-untrusted',
  /** The helper restarted and no longer has the connection. */
  'helper-restarted',
  /** Something removed what protects traffic, and it could not be restored, so traffic is refused. */
  'protection-lost',
  /** Traffic should be blocked, but the system refused to block it, so it leaves the machine. */
  'protection-failed',
  /** The journal of an earlier helper cannot be read. Traffic is blocked, since that may be what the user wanted. */
  'journal-unreadable',
  'trial-ended',
  'plan-ended',
]);
export type DisconnectReason = z.infer<typeof disconnectReason>;

/** Why no tunnel can be established at all; the user can do something about each. */
export const invalidCause = z.enum([
  'helper-absent',
  /** The same, because the system waits for the user to allow it (macOS). */
  'helper-unapproved',
  'helper-incompatible',
  /** The installed files are not those that were signed, so no helper is talked to. */
  'installation-refused',
  'permission-denied',
  'engine-absent',
  'tunnel-unsupported',
]);
export type InvalidCause = z.infer<typeof invalidCause>;

/**
 * What is wrong with a tunnel, as far as the helper's probes can tell. `nothing-passes` is for both IP
 * versions and excludes all others; `dns-silent`: the gateway's resolvers do not answer; `names-fail`: they do, but
 * not by the way that this machine's programs ask them; `no-dns`: there is no resolver to ask; `no-internet`: nothing
 * beyond the gateway answered; `routes-overruled`: others' routes lead elsewhere what should go through the tunnel.
 */
export const connectionProblem = z.enum([
  'nothing-passes',
  'ipv4-silent',
  'ipv6-silent',
  'dns-silent',
  'names-fail',
  'no-dns',
  'dns-contested',
  'routes-overruled',
  'no-internet',
]);
export type ConnectionProblem = z.infer<typeof connectionProblem>;

/**
 * What a connecting tunnel is doing. `resolving`: the helper waits for the gateway's address; `authenticating`: it
 * waits for a session cookie.
 */
const connectPhase = z.enum(['resolving', 'authenticating', 'handshaking', 'configuring', 'waiting']);

/**
 * Networks that the user treats as local although their addresses are public. An entry has an effect while the machine
 * is attached to that network, or to a part of it, and `localNetwork` is on. Requires the helper's capability
 * `local-prefixes`.
 */
export const localPrefixes = z.array(z.string().check(z.refine(isLocalPrefix))).check(z.maxLength(32));

const globalRouting = z.object({
  mode: z.literal('global'),
  /** Whether destinations on directly attached networks stay reachable outside the tunnel. */
  localNetwork: z.boolean(),
});

/** The maximum number of prefixes in mode ip; enough for several countries. */
export const maxRoutedPrefixes = 200_000;

/** Each in canonical notation, none of them a default route. */
export const routedPrefixes = z
  .array(z.string().check(z.refine(isCanonicalPrefix)))
  .check(z.maxLength(maxRoutedPrefixes));

/** Whether listed destinations go through the tunnel, or all others. */
export const ipPolicy = z.enum(['include', 'exclude']);
export type IpPolicy = z.infer<typeof ipPolicy>;

/** Whether the user's group of programs goes through the tunnel, or everything else. */
const appPolicy = z.enum(['include', 'exclude']);

/** Which traffic the helper should send through the tunnel. */
export const routing = z.discriminatedUnion('mode', [
  z.strictObject({ ...globalRouting.shape, localPrefixes: z.optional(localPrefixes) }),
  /**
   * Only traffic that uses a proxy on this machine. `directDomains`: names that are not sent to the proxy, unless a
   * longer name of the lists is; requires capability `direct-domains`.
   */
  z.strictObject({
    mode: z.literal('pac'),
    ...canonicalDomainLists,
    directDomains: z.optional(ownDomains),
  }),
  /** By destination. */
  z.strictObject({
    mode: z.literal('ip'),
    policy: ipPolicy,
    routeIps: routedPrefixes,
    localNetwork: z.boolean(),
    localPrefixes: z.optional(localPrefixes),
  }),
  /** By program. The programs are not named here: they are those in the group of the caller's user (`moveProcess`). */
  z.strictObject({
    mode: z.literal('app'),
    policy: appPolicy,
    localNetwork: z.boolean(),
    localPrefixes: z.optional(localPrefixes),
  }),
]);
export type Routing = z.infer<typeof routing>;

/** The address of a SOCKS5 and HTTP proxy that sends everything through the tunnel. */
const routingProxy = z.object({
  /** `address:port` on this machine. */
  address: z.string().check(z.regex(/^127\.0\.0\.1:\d{1,5}$/)),
  /** The PAC file that tells programs what to send to the proxy. The address changes whenever the content does. */
  pacUrl: z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/[\w-]{1,128}\.pac$/)),
});
export type RoutingProxy = z.infer<typeof routingProxy>;

/** How many networks a state names at most; a gateway may name thousands. */
export const maxNamedNetworks = 64;
const namedNetworks = z
  .array(z.string().check(z.refine(isCanonicalPrefix)))
  .check(z.maxLength(maxNamedNetworks));

/**
 * How a tunnel that is up routes. A mobile app may route in ways that this helper does not have, and without a proxy.
 */
export const activeRouting = z.discriminatedUnion('mode', [
  globalRouting,
  z.object({ mode: z.literal('pac'), proxy: z.optional(routingProxy) }),
  /**
   * Mode global at a server that has named its own networks: how many go through the tunnel, which ones (the first of
   * them), and the exceptions inside them, absent if there are none.
   */
  z.object({
    mode: z.literal('split'),
    networks: z.int().check(z.nonnegative()),
    prefixes: z.optional(namedNetworks),
    exceptions: z.optional(z.object({ networks: z.int().check(z.positive()), prefixes: namedNetworks })),
  }),
  /** By destination: whether listed prefixes go through the tunnel or all others, and how many prefixes there are. */
  z.object({
    mode: z.literal('ip'),
    policy: z.optional(ipPolicy),
    prefixes: z.optional(z.int().check(z.nonnegative())),
  }),
  z.object({ mode: z.literal('app'), policy: z.optional(appPolicy) }),
]);
export type ActiveRouting = z.infer<typeof activeRouting>;

/**
 * There is no tunnel, but the kill switch, or an attempt that failed, still blocks traffic; a disconnect unblocks it.
 */
const blocked = z.optional(z.literal(true));

/** The connection belongs to another user of this computer; only they and administrators can change it. */
const ownedByOther = z.optional(z.literal(true));

/** How packets are encrypted on their way to the gateway. */
const encryption = z.object({
  /** Includes the version, such as `DTLS 1.2`. */
  protocol: z.string().check(z.regex(/^D?TLS \d\.\d$/)),
  /** As in IANA's names of cipher suites, such as `AES-256-GCM`. */
  cipher: z.string().check(z.regex(/^[A-Z][A-Z0-9-]{1,39}$/)),
});
export type Encryption = z.infer<typeof encryption>;

/** The maximum length of a gateway's text to its users, in characters. */
const maxGatewayMessage = 4_000;

/** The maximum length of what a gateway says as it ends or refuses a tunnel, in characters. */
export const maxGoodbyeChars = 200;

/**
 * What the gateway said when it ended the last tunnel, or refused one since: a line of plain text, until there is
 * another tunnel. Absent if it said nothing, if the user has disconnected since, and for other users of this computer.
 */
const goodbye = z.optional(z.string().check(z.minLength(1), z.maxLength(maxGoodbyeChars)));

/** What the gateway says about the session; times are milliseconds since the Unix epoch. */
const gatewayTerms = z.object({
  /** When it ends the session, whatever happens; absent if it has not said so. */
  endsAt: z.optional(z.int().check(z.nonnegative())),
  /** When it ends the session because nothing is sent or received; only if that is soon. */
  idleEndsAt: z.optional(z.int().check(z.nonnegative())),
  /** A text for the user, of several lines of plain text. */
  message: z.optional(z.string().check(z.minLength(1), z.maxLength(maxGatewayMessage))),
});
export type GatewayTermsState = z.infer<typeof gatewayTerms>;

/** Absent while every probe succeeds. */
const problems = z.optional(z.array(connectionProblem).check(z.minLength(1), z.maxLength(8)));

export const tunnelState = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('disconnected'),
    reason: z.optional(disconnectReason),
    goodbye,
    blocked,
    ownedByOther,
  }),
  z.object({
    state: z.literal('connecting'),
    gateway: shownGateway,
    /** 1 for the first attempt; reconnecting continues to count. */
    attempt: z.int().check(z.positive()),
    phase: connectPhase,
    goodbye,
    /** Only what can be known without a tunnel: `routes-overruled`. */
    problems,
    ownedByOther,
  }),
  z.object({
    state: z.literal('connected'),
    gateway: shownGateway,
    /** Milliseconds since the Unix epoch. */
    since: z.int().check(z.nonnegative()),
    addresses: z.object({ ipv4: z.optional(z.ipv4()), ipv6: z.optional(z.ipv6()) }),
    transport: z.enum(['dtls', 'tls']),
    /** Encryption of that transport; absent if it is not known. */
    encryption: z.optional(encryption),
    routing: activeRouting,
    /** Absent if it says nothing, and for other users of this computer. */
    terms: z.optional(gatewayTerms),
    ownedByOther,
    problems,
  }),
  z.object({
    state: z.literal('disconnecting'),
    then: z.enum(['disconnected', 'connecting']),
    ownedByOther,
  }),
  z.object({ state: z.literal('invalid'), cause: invalidCause, blocked, ownedByOther }),
]);
export type TunnelState = z.infer<typeof tunnelState>;

/** Bytes since the tunnel was established, from the kernel's interface counters. */
export const tunnelStatistics = z.object({
  received: z.int().check(z.nonnegative()),
  sent: z.int().check(z.nonnegative()),
});
export type TunnelStatistics = z.infer<typeof tunnelStatistics>;
