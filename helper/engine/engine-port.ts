import type { UnreachableCause } from '#node/anyconnect/gateway-tls.ts';
import type { ProxyAtAddress } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { Encryption, Gateway } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import type { SecretFile, UnprivilegedCommand } from '../system/ports/engine-host-port.ts';
import type { DeviceHandle } from '../system/ports/tunnel-device-port.ts';

/**
 * The engine talks to the gateway: an unprivileged process that carries packets between it and the tunnel's device. It
 * reads bytes from the network, so everything that it outputs is limited in size, number and time before it leaves this
 * port, and what it was given is checked (checked-configuration.ts).
 */
export interface EngineOptions {
  gateway: Gateway;
  /** The gateway's address, or that of the proxy before it; the engine does not look up names. */
  address: string;
  /** Further ones that the system lets it reach. An engine that does not know how to choose takes the first. */
  otherAddresses: readonly string[];
  proxy: ProxyAtAddress | undefined;
  session: GatewaySession;
  device: DeviceHandle;
  /** The largest packet that the path to the gateway carries inside the tunnel, in bytes, if that is known. */
  mtu: number | undefined;
  /** The MTU of the link to the gateway when the engine begins; undefined if that cannot be found out. */
  linkMtu(): Promise<number | undefined>;
  /** Whether to read the routes that the gateway pushes; otherwise they are ignored. */
  wantsPushedRoutes: boolean;
  /**
   * How long the gateway may take to answer, in milliseconds: the engine considers no gateway as dead that answers
   * within `toleratedRoundTripMs` of it.
   */
  roundTripMs: number;
  /** How to run a program as the engine's user. */
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;
  /** How to run our own engine's program. */
  ownProgram(): UnprivilegedCommand;
  /** How to give it a secret. */
  secretFile(content: string): SecretFile;
  log: Log;
  /** It is about to send its first packet: what takes long from now on is the gateway's, or the way there. */
  onBegun(): void;
  /** The gateway has answered at one of its addresses, and is the one that was verified. */
  onReached(address: string): void;
  /**
   * The tunnel is up, or has new values. True if they could be used and have been applied; otherwise the engine ends
   * with `configuration-failed`.
   */
  onConfiguration(given: GivenConfiguration): Promise<boolean>;
  /** What else the gateway says about the session, whenever it says so: also with new keys. */
  onTerms(terms: GivenTerms): void;
  /** What it says as it ends the tunnel, or refuses one, which ends the engine. */
  onGoodbye(text: string): void;
  /** The transport that carries the tunnel's packets from now on. */
  onTransport(transport: EngineTransport): void;
  /** Why its connection to the gateway is not made, where the system or TLS says so. */
  onUnreachable(cause: UnreachableCause): void;
  /** How that transport is encrypted, whether or not it carries packets now. */
  onEncryption(transport: EngineTransport, encryption: Encryption): void;
}

/** What a gateway assigned, as an engine has read it: nobody has checked it yet. Empty like absent: not assigned. */
export interface GivenConfiguration {
  ipv4?: string;
  ipv6?: string;
  /** In bytes. */
  mtu?: string;
  servers: readonly string[];
  searchDomains: readonly string[];
  /** Only if they are wanted. */
  routes?: GivenRoutes;
}

/** What a gateway says beside that, typed and limited, but not checked either. */
export interface GivenTerms {
  /** Until it ends the session, and without a packet until then. */
  sessionSeconds?: number;
  idleSeconds?: number;
  /** A text for the user, possibly of several lines. */
  message?: string;
  /** Domains whose names are to be looked up at its resolvers. */
  splitDns: readonly string[];
  attributes: readonly GivenAttribute[];
}

/** For programs that the gateway's administrators know of. */
export interface GivenAttribute {
  name: string;
  value: string;
}

/** Prefixes by IP version, as they were pushed. */
export type GivenRoutes =
  | Record<'ipv4' | 'ipv6', { includes: readonly string[]; excludes: readonly string[] }>
  | 'unreadable';

/** What every engine tolerates: somewhat more than is known, and at least what is usual through satellites. */
export const toleratedRoundTripMs = (roundTripMs: number): number => Math.max(1_300, 1.3 * roundTripMs);

export type EngineTransport = 'dtls' | 'tls';

/** Why an engine ended. */
export type EngineEnd =
  | 'absent'
  /** It ended before it said anything. */
  | 'not-started'
  /** The gateway's tunnel is of a kind that this engine does not know. */
  | 'unsuited'
  | 'gateway-unreachable'
  | 'certificate-refused'
  | 'session-refused'
  /** No tunnel is granted, for which the session may be to blame, or something else. */
  | 'session-doubted'
  /** The gateway broke off before the tunnel was up, as it does without the right one, or the one given is unusable. */
  | 'client-certificate-refused'
  /** What the gateway assigned cannot be used, or could not be applied. */
  | 'configuration-failed'
  | 'connection-lost'
  | 'failed';

export interface Engine {
  /** Whether it tries all addresses that it was given, and not only the first. */
  readonly racesAddresses: boolean;
  /** Lets it start: it sends no packet before this. */
  release(): void;
  readonly ended: Promise<EngineEnd>;
  /** Logs the session off and ends, within little more than a second. */
  stop(): Promise<void>;
  /** Ends it at once; the session stays valid for another engine. */
  kill(): void;
}

/** Starts an engine, which then waits for `release`. */
export type LaunchEngine = (options: EngineOptions) => Engine;

/** What an engine has to know to be connected before anybody wants a tunnel. */
export interface HoldOptions extends Pick<
  EngineOptions,
  'gateway' | 'address' | 'otherAddresses' | 'proxy' | 'device' | 'ownProgram' | 'secretFile' | 'log'
> {
  trust: HeldTrust;
}

/** A session's parts that a connection needs, without what proves that its user has signed in. */
export type HeldTrust = Omit<GatewaySession, 'cookie'>;

/** An engine that holds a connection to the gateway ready, and asks nothing of it. */
export interface HoldingEngine {
  /** Settles when it holds none any more, unless it carries a tunnel by then. */
  readonly gone: Promise<void>;
  /** Makes it the engine of a tunnel: with the options of a session that it can be used for. Once. */
  readonly carry: LaunchEngine;
  /** Closes the connection and ends it, within little more than a second. */
  stop(): Promise<void>;
}

/** Starts an engine that opens the connection at once. */
export type LaunchHolding = (options: HoldOptions) => HoldingEngine;
