import * as z from 'zod/mini';
import { certificatePin, proxyCredentials, proxyProtocol } from '../helper/gateway-session.ts';
import { languageChoice } from '../host/common-contract.ts';
import { hostContract } from '../host/contract.ts';
import { request, type HostClient } from '../host/descriptor.ts';

/**
 * The control contract: what the user's other programs, such as the command line, can ask of the one process that runs
 * the core. It is JSON-RPC 2.0 in `vscode-jsonrpc` frames over a socket that only this user can reach. As in a
 * webview's messages, a method is `group.name`, and `params` is a list with the input, or absent if there is none. A
 * client calls `core.hello` first, and receives events from then on. Whatever pages can ask too is taken from the host
 * contract.
 */
export const controlProtocolVersion = 1;

/** The largest frame, in bytes, that the core reads; a larger one ends the connection. */
export const controlMaxFrameBytes = 256 * 1024;

/** A word or a few, which cannot be mistaken for a path or markup. */
const label = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}$/));

const hello = z.strictObject({
  protocolVersion: z.int(),
  client: z.strictObject({ name: label, version: label }),
  /** On Windows: 32 hexadecimal digits, for which the core proves that it knows the key of its user's programs. */
  nonce: z.optional(z.string().check(z.regex(/^[0-9a-f]{32}$/))),
});

const helloReply = z.object({
  protocolVersion: z.int(),
  version: z.string(),
  /** Which process runs the core: the desktop app, or the daemon if there is no app. */
  kind: z.enum(['app', 'daemon']),
  pid: z.int(),
  /** The language that the user has chosen for messages. */
  language: languageChoice,
  /** For a nonce; see src/main/control/control-proof.ts. */
  proof: z.optional(z.string()),
});
export type ControlHelloReply = z.infer<typeof helloReply>;

/** A server that may be used now. */
export const usableServer = z.object({
  serverId: z.string(),
  name: z.string(),
  /** What `tunnel.connect` takes. */
  address: z.string(),
  host: z.string(),
  /** An ISO 3166-1 alpha-2 code in capitals. */
  country: z.nullable(z.string()),
  city: z.nullable(z.string()),
  group: z.string(),
  /** How busy it is, from 0 to 1. */
  load: z.nullable(z.number()),
  /** Whether this is the server to connect to if none is named. */
  isChosen: z.boolean(),
  isFavourite: z.boolean(),
});
export type UsableServer = z.infer<typeof usableServer>;

const ipAddress = z.union([z.ipv4(), z.ipv6()]);
const samples = z.object({
  /**
   * Whether destinations belong in the tunnel: the requested addresses, some listed ones, and some addresses that
   * nobody uses. Null if traffic is not routed by address.
   */
  destinations: z.nullable(z.array(z.object({ address: ipAddress, isRouted: z.boolean() }))),
  /** A name that the proxy refuses; null without a proxy, or if the proxy refuses none. */
  refusedName: z.nullable(z.string()),
});

/** How this computer reaches the service outside a tunnel. */
const wayOut = z.object({
  /** By the settings: directly, by a proxy, as a script (PAC) says, or as one that the network names (WPAD). */
  kind: z.enum(['direct', 'proxy', 'script', 'discovery']),
  /** Whether there is such a script. */
  hasScript: z.boolean(),
  /** The proxy that leads to the service; null if none does. */
  proxy: z.nullable(
    z.object({
      protocol: z.enum(['http', 'https', 'socks5']),
      host: z.string(),
      port: z.int(),
      /** Whether it wants a user name and a password, or others than it was sent. */
      isRefused: z.boolean(),
    }),
  ),
});
export type WayOutReply = z.infer<typeof wayOut>;

const checkedWayOut = z.extend(wayOut, { isServiceReached: z.boolean() });
export type CheckedWayOut = z.infer<typeof checkedWayOut>;

const hostName = z.string().check(z.minLength(1), z.maxLength(253));
const proxyOnTheWay = z.object({
  protocol: proxyProtocol,
  host: z.string(),
  port: z.int(),
  /** The proxy's own, at least one. */
  addresses: z.array(ipAddress),
  /** What it is told. */
  credentials: z.optional(proxyCredentials),
  certificatePin: z.optional(certificatePin),
});

const nothing = z.undefined();
const { session, clock, tunnel, gatewayForm, server, servers, preferences, routedPrograms, connectionLog } =
  hostContract;

export const controlContract = {
  core: {
    hello: request(hello, helloReply),
    /**
     * The desktop app is starting and wants the core: the daemon gives it up and closes every connection. The tunnel
     * belongs to the helper, and stays. False if the daemon keeps the core.
     */
    yield: request(nothing, z.boolean()),
  },
  session: {
    get: session.get,
    requestCode: session.requestCode,
    verifyCode: session.verifyCode,
    signOut: session.signOut,
  },
  clock: { offset: clock.offset },
  tunnel,
  gatewayForm,
  server: { choose: server.choose },
  servers: {
    /** Null: the service has not yet said which servers there are, and cannot be asked. */
    list: request(nothing, z.nullable(z.array(usableServer))),
    measure: servers.measure,
    measured: servers.measured,
  },
  preferences: { get: preferences.get, set: preferences.set },
  wayOut: {
    /** Asks the service, to find out. */
    check: request(nothing, checkedWayOut),
    /** The proxy that leads to this host; null: none does, or it is reached through the tunnel. */
    to: request(hostName, z.nullable(proxyOnTheWay)),
    /**
     * The proxy that leads to this host has refused what it was told: the user is asked for something else. False if
     * they do not say it.
     */
    askPassword: request(hostName, z.boolean()),
  },
  routing: {
    /** What a diagnosis can compare with reality: samples that show whether the user's choice is in force. */
    samples: request(z.strictObject({ addresses: z.array(ipAddress).check(z.maxLength(64)) }), samples),
  },
  /** For `routedPrograms`; its name here stays, because a command line may ask an app of another version. */
  routedApps: {
    list: routedPrograms.list,
    /**
     * Puts a process of this user, and everything it starts, into the group that is routed by program, until it
     * ends. The chosen programs do not matter. `gone`: there is no such process that this user may move.
     */
    admit: request(
      z.strictObject({ pid: z.int().check(z.positive()) }),
      z.enum(['admitted', 'gone', 'unsupported']),
    ),
  },
  connectionLog: { get: connectionLog.get, clear: connectionLog.clear },
} as const;
export type ControlContract = typeof controlContract;
export type ControlClient = HostClient<ControlContract>;

/** Error codes in addition to those of JSON-RPC 2.0. */
export const controlError = { protocolVersion: -32001, helloFirst: -32002 } as const;
