import * as z from 'zod/mini';
import { proxyProtocol, gatewaySession } from './gateway-session.ts';
import { sharedLists } from '../tunnel/shared-lists.ts';
import { disconnectReason, gateway, routing, tunnelState, tunnelStatistics } from '../tunnel/state.ts';

/**
 * The helper protocol: JSON-RPC 2.0 in `vscode-jsonrpc` frames over a Unix socket or named pipe. A client calls `hello`
 * first; no other method is served before that. Then it subscribes, and then takes one snapshot. No parameter is a
 * path, a command line or an environment.
 *
 * A connection belongs to its user from `connect` on, until nothing of it is left, even across a crash of the helper.
 * Other users see its state, marked with `ownedByOther`. If they try to change it, the answer is `notOwner`, unless
 * they are administrators. Why it has ended is told to its user and to administrators alone, unless it concerns
 * everybody's traffic.
 */
export const helperProtocolVersion = 1;

/**
 * The largest frame that the helper reads, in bytes; a larger one ends the connection. Lists of domains have about 2
 * MB.
 */
export const helperMaxFrameBytes = 4 * 1024 * 1024;

/** When a connection has to end, even if no client is there to end it; `at` in milliseconds since the Unix epoch. */
export const deadline = z.object({
  at: z.int().check(z.nonnegative()),
  reason: z.enum(['trial-ended', 'plan-ended']),
});
export type Deadline = z.infer<typeof deadline>;

/** resolv.conf(5) allows three. */
const resolverAddresses = z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(3));

/**
 * An internet host that a tunnel should be able to reach. The helper only opens a TCP connection to it, and sends
 * nothing.
 */
export const reachabilityTarget = z.strictObject({
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().check(z.minimum(1), z.maximum(65535)),
});
export type ReachabilityTarget = z.infer<typeof reachabilityTarget>;

/** A digest of the lists, as `storeLists` returned it. */
const listsName = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * How to route. `lists` names lists that this client has stored; then `routing` has only what the user has chosen.
 * Without `lists`, `routing` has everything, and in mode ip at least one prefix. Requires capability `lists`.
 */
const routingRequest = { routing, lists: z.optional(listsName) };

/** More than any gateway's name has that people choose. */
export const maxOtherAddresses = 8;

const gatewayAddress = z.union([z.ipv4(), z.ipv6()]);

/** Further addresses of a gateway, in the order to try them. Requires capability `addresses`. */
const otherAddresses = z.array(gatewayAddress).check(z.maxLength(maxOtherAddresses));

export const proxyAtAddress = z.strictObject({
  protocol: proxyProtocol,
  port: z.int().check(z.minimum(1), z.maximum(65535)),
});
export type ProxyAtAddress = z.infer<typeof proxyAtAddress>;

export const connectRequest = z.strictObject({
  gateway,
  /**
   * The gateway's address that was verified at sign-in, or resolved for it. If absent, traffic is blocked, no gateway
   * can be reached, and the state is `connecting` in phase `resolving` until a `connect` that has the address.
   */
  address: z.optional(z.union([z.ipv4(), z.ipv6()])),
  /**
   * The only way to the gateway is a proxy: `address` and `otherAddresses` are those of the proxy, which is at this
   * port. It may look up names. Requires capability `proxy`.
   */
  proxy: z.optional(proxyAtAddress),
  /** Where the gateway may be, too, for signing in and for the tunnel. */
  otherAddresses: z.optional(otherAddresses),
  /**
   * If absent, traffic is blocked, only the gateway can be reached, and the state is `connecting` in phase
   * `authenticating` until `provideSession`. The same happens if the gateway refuses a session later.
   */
  session: z.optional(gatewaySession),
  ...routingRequest,
  /**
   * In mode global, only the networks that the gateway names go through the tunnel, if it names any. Until it has named
   * them, all traffic is blocked.
   */
  split: z.optional(z.boolean()),
  /** If true, only an explicit disconnect unblocks traffic. */
  killSwitch: z.boolean(),
  /**
   * Whether what nobody on this machine has asked for may come in through the tunnel; absent means no. Requires
   * capability `incoming`; earlier helpers let it in.
   */
  allowIncoming: z.optional(z.boolean()),
  /**
   * The user's own resolvers, which replace all others. They are asked through the tunnel if it reaches them. Requires
   * capability `resolvers`.
   */
  ownResolvers: z.optional(resolverAddresses),
  deadline: z.optional(deadline),
  /**
   * The helper uses these to find out whether the gateway forwards to the internet. If absent, it does not check that.
   */
  reachabilityTargets: z.optional(z.array(reachabilityTarget).check(z.maxLength(4))),
});
export type ConnectRequest = z.infer<typeof connectRequest>;

/** A connection to a gateway that is opened for the session before it is asked for a tunnel. */
export const holdRequest = z.strictObject({
  gateway,
  /** As in `connect`. */
  address: z.union([z.ipv4(), z.ipv6()]),
  otherAddresses: z.optional(otherAddresses),
  proxy: z.optional(proxyAtAddress),
  /** What the connection needs of the session; the cookie comes with `connect`. */
  trust: z.omit(gatewaySession, { cookie: true }),
});
export type HoldRequest = z.infer<typeof holdRequest>;

/** A word or a few, which no program could mistake for an option, a path or markup. */
const label = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}$/));

const hello = z.strictObject({
  protocolVersion: z.int(),
  client: z.strictObject({ name: label, version: label }),
});

/** openconnect(8), or our own. */
export const engineKind = z.enum(['openconnect', 'own']);
export type EngineKind = z.infer<typeof engineKind>;

const helloReply = z.object({
  protocolVersion: z.int(),
  helperVersion: z.string(),
  capabilities: z.array(z.string()),
  /** The engines that can carry tunnels, the usual one first; absent in answers of earlier helpers. */
  engines: z.optional(z.array(engineKind)),
});

/**
 * The maximum time for which a connection to a gateway is held ready, in milliseconds: ocserv ends one that signs in to
 * nothing after 240 seconds (`auth-timeout`), and writes that down as a failure.
 */
export const maxHeldMs = 220_000;

/** The maximum time for which a user can be let through to a captive portal, in milliseconds. */
export const maxPortalMs = 5 * 60_000;

const portalRequest = z.strictObject({ forMs: z.int().check(z.minimum(1000), z.maximum(maxPortalMs)) });
const openPortal = z.object({ proxyPort: z.int().check(z.minimum(1), z.maximum(65535)) });

/** The maximum number of characters in all lines that `readLog` returns. */
export const maxReadLogChars = 128 * 1024;

/** Moves a process into or out of the group of programs that mode app routes differently. */
const moveRequest = z.strictObject({
  pid: z.int().check(z.positive(), z.maximum(0x3fffffff)),
  into: z.enum(['group', 'outside']),
});
const moveResult = z.object({
  /** The number of processes that were moved, without those that were already there. */
  moved: z.int().check(z.nonnegative()),
  /** The number of their connections that were ended, so that programs open new ones that are routed correctly. */
  ended: z.int().check(z.nonnegative()),
});

/** A client certificate with its key has at most some 80 kB. */
const maxSecretChars = 96 * 1024;
const secret = z.string().check(z.minLength(1), z.maxLength(maxSecretChars));
/** Base64 of at most three bytes for each character, and of what sealing adds. */
const sealedSecret = z
  .string()
  .check(z.maxLength(4 * maxSecretChars + 64, { abort: true }), z.regex(/^[A-Za-z0-9+/]+={0,2}$/));

const nothing = z.strictObject({});
const done = z.null();

export const helperMethods = {
  hello: { params: hello, result: helloReply },
  subscribe: { params: nothing, result: done },
  snapshot: { params: nothing, result: tunnelState },
  connect: { params: connectRequest, result: done },
  /**
   * Changes the routing, without interrupting the tunnel, whether it is up or in progress. Without `killSwitch` or
   * `allowIncoming`, that setting stays as it was.
   */
  setRouting: {
    params: z.strictObject({
      ...routingRequest,
      killSwitch: z.optional(z.boolean()),
      allowIncoming: z.optional(z.boolean()),
    }),
    result: done,
  },
  /**
   * Stores lists for later requests of this client, which refer to them by name. One list is kept for each mode, until
   * the client stores another one for that mode or disconnects. Refused with `noRoom` if too many are stored; requests
   * then have to contain the lists.
   */
  storeLists: { params: z.strictObject({ lists: sharedLists }), result: z.object({ name: listsName }) },
  /**
   * Whether it is on for the caller's connection, or for what is blocked after it. For clients whose own record of it
   * was damaged; older helpers do not have this call.
   */
  killSwitch: { params: nothing, result: z.object({ isOn: z.boolean() }) },
  /**
   * Replaces the `otherAddresses` of the current connection, which goes on; the one in use need not be left out.
   * Requires capability `addresses`.
   */
  setAddresses: { params: z.strictObject({ otherAddresses }), result: done },
  /**
   * Opens a TLS connection to the gateway, on which nothing is asked for, and holds it ready for a `connect` of this
   * client to the same gateway; one at a time for the whole machine, in the place of the same user's last one. It ends
   * with `dropHeld`, with this client's connection, with any `connect`, when the way to the gateway changes, when the
   * gateway ends it, and after `maxHeldMs`. Refused with `wrongState` while there is a connection, traffic is blocked,
   * another user has one, or the engine cannot hold any, and with `noRoom` if there have been too many. Requires
   * capability `hold`. In phase `authenticating`, it is for the session that is waited for, at addresses that the
   * connection may use. Requires capability `hold-at-sign-in`.
   */
  holdConnection: { params: holdRequest, result: done },
  dropHeld: { params: nothing, result: done },
  /**
   * `address`: where the sign-in has found the gateway, of those that the connection may use; the one in use if absent.
   * Requires capability `sign-in-addresses`.
   */
  provideSession: {
    params: z.strictObject({ session: gatewaySession, address: z.optional(gatewayAddress) }),
    result: done,
  },
  /**
   * From the answer on, this client's own connection carries bytes to the gateway and back over TCP, for a sign-in
   * while traffic is blocked. Only in phase `authenticating`; it is closed when that phase ends. Refused with
   * `gatewayNotReached` if the gateway cannot be reached; `code` in its data is the system's name for that, if it has
   * one, e.g. ECONNREFUSED. `address`: one of those that the connection may use; the one in use if absent. Requires
   * capability `sign-in-addresses`.
   */
  openGatewayStream: { params: z.strictObject({ address: z.optional(gatewayAddress) }), result: done },
  /**
   * Lets only the caller's user reach web pages, through an HTTP proxy on 127.0.0.1, to sign in to a network while
   * everything else stays blocked. Only while connecting or blocked. It is closed by `closePortal`, after `forMs`
   * milliseconds, when the tunnel is connected or disconnected, and when this client's connection closes.
   */
  openPortal: { params: portalRequest, result: openPortal },
  closePortal: { params: nothing, result: done },
  /** Changes the deadline of the current connection; null removes it. */
  setDeadline: { params: z.strictObject({ deadline: z.nullable(deadline) }), result: done },
  /**
   * With a reason, it counts as a failure: the kill switch then keeps traffic blocked, and the state says `blocked`.
   */
  disconnect: { params: z.strictObject({ reason: z.optional(disconnectReason) }), result: done },
  statistics: { params: nothing, result: tunnelStatistics },
  /**
   * The latest lines of the helper and the engine about connections of the caller's own user, as JSON, newest last.
   * Nobody gets lines about another user's. Requires capability `log`.
   */
  readLog: { params: nothing, result: z.object({ lines: z.array(z.string()) }) },
  /**
   * Puts a process of the caller's own user, and its descendants that run as the same user, into the user's group of
   * programs, or out of it. What they start later is in the same place. Each user has one group, independent of the
   * routing mode and of the tunnel; it exists as long as it has processes. Refused with `noSuchProcess` if no process
   * of the caller's user has this pid. Requires capability `routing.app`.
   */
  moveProcess: { params: moveRequest, result: moveResult },
  /**
   * For a computer without a keychain: turns a secret into text that the caller may keep in a file, because only
   * `unseal` on this computer, called by the same user, turns it back. The helper keeps nothing of it. Refused with
   * `notSealed` if it was sealed for another user, on another computer or with a key that is lost. Require capability
   * `seal`.
   */
  seal: { params: z.strictObject({ secret }), result: z.object({ sealed: sealedSecret }) },
  unseal: { params: z.strictObject({ sealed: sealedSecret }), result: z.object({ secret }) },
} as const;
export type HelperMethods = typeof helperMethods;
export type HelperMethodName = keyof HelperMethods;
export type HelperParams<Name extends HelperMethodName> = z.infer<HelperMethods[Name]['params']>;
export type HelperResult<Name extends HelperMethodName> = z.infer<HelperMethods[Name]['result']>;

export const helperEvents = { stateChanged: tunnelState } as const;

/** Error codes in addition to those of JSON-RPC 2.0 (§5.1 reserves -32000 to -32099 for servers). */
export const helperError = {
  protocolVersion: -32001,
  helloFirst: -32002,
  permissionDenied: -32003,
  /**
   * The call makes no sense in the current state, e.g. a session that nothing waits for, or routing without a tunnel.
   */
  wrongState: -32004,
  /** The connection belongs to another user; only they and administrators may change it. */
  notOwner: -32005,
  /** No process of the caller's user has this pid, or it runs with more rights than the user's. */
  noSuchProcess: -32006,
  /** This client has stored no lists with that name. */
  unknownLists: -32007,
  /**
   * Other clients have already stored as many lists as the helper keeps, or this user has had too many connections
   * held.
   */
  noRoom: -32008,
  /** No connection to the gateway can be made. */
  gatewayNotReached: -32009,
  /** This was not sealed by this helper for the caller's user. */
  notSealed: -32010,
} as const;
