import * as z from 'zod/mini';
import { isCanonicalPrefix, isLocalPrefix } from './prefix.ts';
import { canonicalDomainLists, ownDomains } from './route-config.ts';

/**
 * The tunnel's state, as the helper tells it: the one truth about the tunnel. Who reads one ignores properties that it
 * does not know: an app around a webview may be newer than the page.
 */

const hostName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(253),
    z.regex(/^[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?$/, 'not a host name or address'),
  );
const port = z.int().check(z.minimum(1), z.maximum(65535));

export const gateway = z.object({ host: hostName, port });
export type Gateway = z.infer<typeof gateway>;

/** Why a tunnel ended, or could not be made. Each has its own text in the user's language. */
export const disconnectReason = z.enum([
  'gateway-name-unknown',
  'gateway-unreachable',
  'gateway-certificate-refused',
  /** One of those above, and it is the network's own sign-in page that keeps the gateway out of reach. */
  'captive-portal',
  'sign-in-refused',
  'sign-in-cancelled',
  /** The gateway refused after the user had answered a form of its own, e.g. with a wrong one-time code. */
  'answer-refused',
  /** The gateway wants a certificate of its user, and has been shown none that it takes. */
  'certificate-required',
  /** Sign-ins succeed, and the gateway refuses each of the sessions: it allows one account so many at a time. */
  'too-many-sessions',
  /** The kill switch would have to let all traffic out for it. */
  'browser-sign-in-blocked',
  /** The service does not list this gateway any more. */
  'server-removed',
  'session-ended',
  'configuration-failed',
  /** The gateway assigned an address that lies in a network of this machine. */
  'address-conflict',
  'engine-failed',
  /** The helper came back without the connection that it had. */
  'helper-restarted',
  /** Others took away what protects traffic, and it could not be put back: traffic is refused instead. */
  'protection-lost',
  /** Traffic was to be blocked, and the system refused that: it flows. */
  'protection-failed',
  /** What an earlier helper left cannot be read: traffic is blocked, since that may have been wanted. */
  'journal-unreadable',
  'trial-ended',
  'plan-ended',
]);
export type DisconnectReason = z.infer<typeof disconnectReason>;

/** Why no tunnel can be made at all; the user can act on each. */
export const invalidCause = z.enum([
  'helper-absent',
  'helper-incompatible',
  'permission-denied',
  'engine-absent',
  'tunnel-unsupported',
]);
export type InvalidCause = z.infer<typeof invalidCause>;

/**
 * What is wrong with a tunnel that is up, as far as the helper's probes can tell. `nothing-passes` stands alone and for
 * both IP versions; `dns-silent`: the gateway's resolvers do not answer; `no-dns`: there is none to ask; `no-internet`:
 * nothing beyond the gateway answered.
 */
export const connectionProblem = z.enum([
  'nothing-passes',
  'ipv4-silent',
  'ipv6-silent',
  'dns-silent',
  'no-dns',
  'no-internet',
]);
export type ConnectionProblem = z.infer<typeof connectionProblem>;

/**
 * What a connecting tunnel is doing. `resolving`: the helper waits for the gateway's address; `authenticating`: for a
 * session cookie.
 */
export const connectPhase = z.enum(['resolving', 'authenticating', 'handshaking', 'configuring', 'waiting']);

/**
 * Networks that the user calls local although their addresses are public. One counts while the machine is attached to it,
 * or to a part of it, and `localNetwork` is on. With the helper's capability `local-prefixes` only.
 */
export const localPrefixes = z.array(z.string().check(z.refine(isLocalPrefix))).check(z.maxLength(32));

const globalRouting = z.object({
  mode: z.literal('global'),
  /** Whether destinations on directly attached networks stay reachable outside the tunnel. */
  localNetwork: z.boolean(),
});

/** How many prefixes mode ip takes: those of several countries, and more. */
export const maxRoutedPrefixes = 200_000;

/** Each in the one way to write it, none a default route. */
export const routedPrefixes = z
  .array(z.string().check(z.refine(isCanonicalPrefix)))
  .check(z.maxLength(maxRoutedPrefixes));

/** Whether what is listed goes through the tunnel, or everything else. */
export const ipPolicy = z.enum(['include', 'exclude']);
export type IpPolicy = z.infer<typeof ipPolicy>;

/** Whether the user's group of programs goes through the tunnel, or all but the group. */
export const appPolicy = z.enum(['include', 'exclude']);
export type AppPolicy = z.infer<typeof appPolicy>;

/** Which traffic the helper is to send through the tunnel. */
export const routing = z.discriminatedUnion('mode', [
  z.strictObject({ ...globalRouting.shape, localPrefixes: z.optional(localPrefixes) }),
  /**
   * Only what comes to a proxy on this machine. `directDomains`: names that are not sent there, unless a longer name of the
   * lists is; with capability `direct-domains` only.
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
  /** By program: which ones is not said here, it is those in the group of the caller's user (`moveProcess`). */
  z.strictObject({
    mode: z.literal('app'),
    policy: appPolicy,
    localNetwork: z.boolean(),
    localPrefixes: z.optional(localPrefixes),
  }),
]);
export type Routing = z.infer<typeof routing>;

/** Where a proxy listens that sends through the tunnel, by SOCKS5 and HTTP. */
const routingProxy = z.object({
  /** `address:port` on this machine. */
  address: z.string().check(z.regex(/^127\.0\.0\.1:\d{1,5}$/)),
  /** Where programs learn what to send to it. Another address whenever the content is another. */
  pacUrl: z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/[\w-]{1,128}\.pac$/)),
});
export type RoutingProxy = z.infer<typeof routingProxy>;

/** How a tunnel that is up routes. A mobile app routes in ways that our helper has no word for, and by no proxy. */
export const activeRouting = z.discriminatedUnion('mode', [
  globalRouting,
  z.object({ mode: z.literal('pac'), proxy: z.optional(routingProxy) }),
  /** In mode global, at a server that has named its own networks: how many go through the tunnel. */
  z.object({ mode: z.literal('split'), networks: z.int().check(z.nonnegative()) }),
  /** What is listed, or everything else, and how many prefixes that is. */
  z.object({
    mode: z.literal('ip'),
    policy: z.optional(ipPolicy),
    prefixes: z.optional(z.int().check(z.nonnegative())),
  }),
  z.object({ mode: z.literal('app'), policy: z.optional(appPolicy) }),
]);
export type ActiveRouting = z.infer<typeof activeRouting>;

/** Without a tunnel, the kill switch or an attempt that could not go on still blocks traffic: a disconnect opens it. */
const blocked = z.optional(z.literal(true));

/** The connection is of another user of this computer, and only they or an administrator can change it. */
const ownedByOther = z.optional(z.literal(true));

/** By what the packets are encrypted on their way to the gateway. */
const encryption = z.object({
  /** With its version, such as `DTLS 1.2`. */
  protocol: z.string().check(z.regex(/^D?TLS \d\.\d$/)),
  /** As IANA's names of cipher suites have it, such as `AES-256-GCM`. */
  cipher: z.string().check(z.regex(/^[A-Z][A-Z0-9-]{1,39}$/)),
});
export type Encryption = z.infer<typeof encryption>;

export const tunnelState = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('disconnected'),
    reason: z.optional(disconnectReason),
    blocked,
    ownedByOther,
  }),
  z.object({
    state: z.literal('connecting'),
    gateway,
    /** 1 on the first try; a re-connect counts on from there. */
    attempt: z.int().check(z.positive()),
    phase: connectPhase,
    ownedByOther,
  }),
  z.object({
    state: z.literal('connected'),
    gateway,
    /** Milliseconds since the Unix epoch. */
    since: z.int().check(z.nonnegative()),
    addresses: z.object({ ipv4: z.optional(z.ipv4()), ipv6: z.optional(z.ipv6()) }),
    transport: z.enum(['dtls', 'tls']),
    /** Of that transport; absent where it is not known. */
    encryption: z.optional(encryption),
    routing: activeRouting,
    ownedByOther,
    /** Absent while everything that was tried passes. */
    problems: z.optional(z.array(connectionProblem).check(z.minLength(1), z.maxLength(6))),
  }),
  z.object({
    state: z.literal('disconnecting'),
    then: z.enum(['disconnected', 'connecting']),
    ownedByOther,
  }),
  z.object({ state: z.literal('invalid'), cause: invalidCause, blocked, ownedByOther }),
]);
export type TunnelState = z.infer<typeof tunnelState>;

/** Bytes since the tunnel was made, from the kernel's interface counters. */
export const tunnelStatistics = z.object({
  received: z.int().check(z.nonnegative()),
  sent: z.int().check(z.nonnegative()),
});
export type TunnelStatistics = z.infer<typeof tunnelStatistics>;
