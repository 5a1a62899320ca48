import * as z from 'zod/mini';
import { sharedLists } from '../tunnel/shared-lists.ts';
import { disconnectReason, gateway, routing, tunnelState, tunnelStatistics } from '../tunnel/state.ts';

/**
 * The helper protocol: JSON-RPC 2.0 in `vscode-jsonrpc` frames over a Unix socket or named pipe.
 * A client says `hello` first; no other method is served before it. Then it subscribes, then takes one
 * snapshot. No parameter is a path, a command line or an environment.
 *
 * A connection is its user's from `connect` on, until nothing of it is left, also over a crash of the helper. Other users
 * see its state, marked with `ownedByOther`; what changes it is answered with `notOwner`, unless an administrator asks.
 */
export const helperProtocolVersion = 1;

/** Largest frame the helper reads, in bytes; a longer one ends the connection. Lists of domains are some 2 MB. */
export const helperMaxFrameBytes = 4 * 1024 * 1024;

/** `pin-sha256:` and the base64 SHA-256 of the public key's SubjectPublicKeyInfo, as openconnect prints it. */
const certificatePin = z.string().check(z.regex(/^pin-sha256:[A-Za-z0-9+/]{43}=$/));

/** What the gateway gave at sign-in. The cookie's alphabet is RFC 6265's cookie-octet. */
export const gatewaySession = z.strictObject({
  cookie: z
    .string()
    .check(z.minLength(1), z.maxLength(4096), z.regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/)),
  certificatePin,
});
export type GatewaySession = z.infer<typeof gatewaySession>;

/** When a connection has to end, whoever is there to end it; `at` in milliseconds since the Unix epoch. */
export const deadline = z.object({
  at: z.int().check(z.nonnegative()),
  reason: z.enum(['trial-ended', 'plan-ended']),
});
export type Deadline = z.infer<typeof deadline>;

/** As many as resolv.conf(5) takes. */
export const resolverAddresses = z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(3));

/** Somewhere on the internet that a tunnel should reach; asked for a TCP connection only, nothing is sent. */
export const reachabilityTarget = z.strictObject({
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().check(z.minimum(1), z.maximum(65535)),
});
export type ReachabilityTarget = z.infer<typeof reachabilityTarget>;

/** What `storeLists` has answered: the SHA-256 of the lists. */
const listsName = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * How to route. `lists`: those that this client has stored, beside which `routing` has what the user has chosen; without
 * them it has everything, and in mode ip at least one prefix. With capability `lists` only.
 */
const routingRequest = { routing, lists: z.optional(listsName) };

export const connectRequest = z.strictObject({
  gateway,
  /**
   * The gateway's address that was verified at sign-in, or resolved for it. Absent: traffic is blocked, no gateway
   * can be reached, and the state is `connecting` in phase `resolving` until a connect with the address.
   */
  address: z.optional(z.union([z.ipv4(), z.ipv6()])),
  /**
   * Absent: traffic is blocked, only the gateway can be reached, and the state is `connecting` in phase
   * `authenticating` until `provideSession`. The same happens when the gateway refuses a session later.
   */
  session: z.optional(gatewaySession),
  ...routingRequest,
  /**
   * With mode global, only the networks that the gateway names go through the tunnel, if it names any; until it has,
   * all traffic is blocked.
   */
  split: z.optional(z.boolean()),
  /** Only an explicit disconnect opens traffic again. */
  killSwitch: z.boolean(),
  /** Resolvers to ask through the tunnel if the gateway names none that can be. */
  fallbackResolvers: z.optional(resolverAddresses),
  /**
   * The user's own resolvers, in place of all others: asked through the tunnel, as far as it reaches them. With
   * capability `resolvers` only.
   */
  ownResolvers: z.optional(resolverAddresses),
  deadline: z.optional(deadline),
  /** By these the helper finds out whether the gateway forwards to the internet; not found out if absent. */
  reachabilityTargets: z.optional(z.array(reachabilityTarget).check(z.maxLength(4))),
});
export type ConnectRequest = z.infer<typeof connectRequest>;

/** A word or a few, which no program could take for an option, a path or markup. */
const label = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}$/));

export const hello = z.strictObject({
  protocolVersion: z.int(),
  client: z.strictObject({ name: label, version: label }),
});

export const helloReply = z.object({
  protocolVersion: z.int(),
  helperVersion: z.string(),
  capabilities: z.array(z.string()),
});

/** For how long a user may be let out to a captive portal, in milliseconds. */
export const maxPortalMs = 5 * 60_000;

const portalRequest = z.strictObject({ forMs: z.int().check(z.minimum(1000), z.maximum(maxPortalMs)) });
const openPortal = z.object({ proxyPort: z.int().check(z.minimum(1), z.maximum(65535)) });

/** What `readLog` gives at most, in characters of all its lines. */
export const maxReadLogChars = 128 * 1024;

/** In and out of the group of programs that mode app routes in another way. */
const moveRequest = z.strictObject({
  pid: z.int().check(z.positive(), z.maximum(0x3fffffff)),
  into: z.enum(['group', 'outside']),
});
const moveResult = z.object({
  /** Processes that have been moved: those that were there already do not count. */
  moved: z.int().check(z.nonnegative()),
  /** Their connections that were ended, so that programs make others that go the new way. */
  ended: z.int().check(z.nonnegative()),
});

const nothing = z.strictObject({});
const done = z.null();

export const helperMethods = {
  hello: { params: hello, result: helloReply },
  subscribe: { params: nothing, result: done },
  snapshot: { params: nothing, result: tunnelState },
  connect: { params: connectRequest, result: done },
  /**
   * Routes in another way, whether the tunnel is up or being made; it is not interrupted. Without `killSwitch` that
   * stays what it was.
   */
  setRouting: {
    params: z.strictObject({ ...routingRequest, killSwitch: z.optional(z.boolean()) }),
    result: done,
  },
  /**
   * Keeps lists for requests of this client, which name them instead of having them: one for each mode, until there are
   * others of that mode, or the client has gone. Refused with `noRoom` where too many are kept: then requests have them.
   */
  storeLists: { params: z.strictObject({ lists: sharedLists }), result: z.object({ name: listsName }) },
  provideSession: { params: z.strictObject({ session: gatewaySession }), result: done },
  /**
   * Makes this client's own connection carry bytes to the gateway and back from the answer on, by TCP, to sign in while
   * traffic is blocked. Only in phase `authenticating`, and it is closed when that ends.
   */
  openGatewayStream: { params: nothing, result: done },
  /**
   * Lets the caller's user, and no other, out to web pages by an HTTP proxy on 127.0.0.1, so that they can sign in to a
   * network, while all else stays blocked. Only while connecting, or blocked; closed by `closePortal`, after `forMs`
   * milliseconds, when connected or disconnected, and with this client's connection.
   */
  openPortal: { params: portalRequest, result: openPortal },
  closePortal: { params: nothing, result: done },
  /** Moves the deadline of the connection there is; null: it has none any more. */
  setDeadline: { params: z.strictObject({ deadline: z.nullable(deadline) }), result: done },
  /** With a reason it is a failure: then the kill switch keeps traffic blocked, and the state says `blocked`. */
  disconnect: { params: z.strictObject({ reason: z.optional(disconnectReason) }), result: done },
  statistics: { params: nothing, result: tunnelStatistics },
  /**
   * The helper's and the engine's latest lines about the connections of the caller's own user, each as JSON, the latest
   * last; nobody gets another's. With capability `log` only.
   */
  readLog: { params: nothing, result: z.object({ lines: z.array(z.string()) }) },
  /**
   * Puts a process of the caller's own user, with its descendants of that user, into the user's group of programs, or
   * out of it. What they start later is where they are. There is one group for each user, whatever the routing mode and
   * whether or not there is a tunnel; it lasts as long as it has processes. Refused with `noSuchProcess` if no process
   * of the caller's user has this pid. With capability `routing.app` only.
   */
  moveProcess: { params: moveRequest, result: moveResult },
} as const;
export type HelperMethods = typeof helperMethods;
export type HelperMethodName = keyof HelperMethods;
export type HelperParams<Name extends HelperMethodName> = z.infer<HelperMethods[Name]['params']>;
export type HelperResult<Name extends HelperMethodName> = z.infer<HelperMethods[Name]['result']>;

export const helperEvents = { stateChanged: tunnelState } as const;

/** Error codes beside those of JSON-RPC 2.0 (§5.1 leaves -32000 to -32099 to servers). */
export const helperError = {
  protocolVersion: -32001,
  helloFirst: -32002,
  permissionDenied: -32003,
  /** The call makes no sense in the present state, e.g. a session that nothing waits for, or routing without a tunnel. */
  wrongState: -32004,
  /** The connection is another user's, who alone may change it, beside administrators. */
  notOwner: -32005,
  /** No process of the caller's user has this pid, or it runs with more rights than the user's. */
  noSuchProcess: -32006,
  /** This client has stored no lists of that name. */
  unknownLists: -32007,
  /** Others have stored as many lists as are kept. */
  noRoom: -32008,
} as const;
