import * as z from 'zod/mini';
import { languageChoice, hostContract } from '../host/contract.ts';
import { request, type HostClient, type HostHandlers } from '../host/descriptor.ts';

/**
 * The control contract: what the user's other programs, such as the command line, can ask of the one process that has
 * the core. JSON-RPC 2.0 in `vscode-jsonrpc` frames over a socket that only this user reaches. As a webview's messages,
 * a method is `group.name` and `params` a list of one, the input, or absent where there is none. A client says
 * `core.hello` first; from then on it is sent the events. What it shares with the pages is the host contract's own.
 */
export const controlProtocolVersion = 1;

/** Largest frame, in bytes, that the core reads; a longer one ends the connection. */
export const controlMaxFrameBytes = 256 * 1024;

/** A word or a few, which nothing could take for a path or markup. */
const label = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}$/));

const hello = z.strictObject({
  protocolVersion: z.int(),
  client: z.strictObject({ name: label, version: label }),
});

const helloReply = z.object({
  protocolVersion: z.int(),
  version: z.string(),
  /** What has the core: the desktop app, or the daemon in its place. */
  kind: z.enum(['app', 'daemon']),
  pid: z.int(),
  /** In which language the user wants to be spoken to. */
  language: languageChoice,
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
  /** The one that is connected to where none is named. */
  isChosen: z.boolean(),
  isFavourite: z.boolean(),
});
export type UsableServer = z.infer<typeof usableServer>;

const ipAddress = z.union([z.ipv4(), z.ipv6()]);
const samples = z.object({
  /**
   * Whether destinations belong in the tunnel: the addresses that were asked for, some that are listed, and some of
   * nobody's. Null where traffic is not routed by address.
   */
  destinations: z.nullable(z.array(z.object({ address: ipAddress, isRouted: z.boolean() }))),
  /** A name that the proxy refuses; null without a proxy, or if it refuses none. */
  refusedName: z.nullable(z.string()),
});

const nothing = z.undefined();
const { session, tunnel, gatewayForm, server, servers, preferences, routedApps, connectionLog } =
  hostContract;

export const controlContract = {
  core: {
    hello: request(hello, helloReply),
    /**
     * The desktop app starts, and wants the core: the daemon gives it up and closes every connection. The tunnel is the
     * helper's, and stays. False if it is kept.
     */
    yield: request(nothing, z.boolean()),
  },
  session: {
    get: session.get,
    requestCode: session.requestCode,
    verifyCode: session.verifyCode,
    signOut: session.signOut,
  },
  tunnel,
  gatewayForm,
  server: { choose: server.choose },
  servers: {
    /** Null: the service has not said which there are, and cannot be asked. */
    list: request(nothing, z.nullable(z.array(usableServer))),
    measure: servers.measure,
    measured: servers.measured,
  },
  preferences: { get: preferences.get, set: preferences.set },
  routing: {
    /** What whoever looks into it can compare with what happens; by what the user has chosen, whether it is in force. */
    samples: request(z.strictObject({ addresses: z.array(ipAddress).check(z.maxLength(64)) }), samples),
  },
  routedApps: {
    list: routedApps.list,
    /**
     * Puts a process of this user, and what it starts, into the group that is routed by application, whichever are
     * chosen, until it ends. `gone`: there is no such process that this user may move.
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
export type ControlImplementation = HostHandlers<ControlContract>;

/** Error codes beside those of JSON-RPC 2.0. */
export const controlError = { protocolVersion: -32001, helloFirst: -32002 } as const;
