import type { Socket } from 'node:net';
import type {
  ActiveRouting,
  DisconnectReason,
  Gateway,
  InvalidCause,
  Routing,
  TunnelStatistics,
} from '#shared/tunnel/state.ts';
import type { PushedRoutes, TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import type { ProcessesMoved, ProcessMove } from './ports.ts';

/** What a connection is, apart from its secrets; the journal keeps it. */
export interface Connection {
  gateway: Gateway;
  /** The gateway's address. */
  address: string;
  routing: Routing;
  killSwitch: boolean;
  /** The user who made it, as the system names users. */
  owner: string;
  /** To be asked through the tunnel if the gateway names no resolver that can be. */
  fallbackResolvers?: string[];
  /** To be asked through the tunnel in place of all others. */
  ownResolvers?: string[] | undefined;
  /** Whether the routes that the gateway pushes decide what mode global sends through the tunnel. */
  split?: boolean;
  /** Those routes, once the gateway has said them; until then everything belongs in the tunnel. */
  pushedRoutes?: PushedRoutes | undefined;
}

/** What an earlier helper has left. */
export type Recovery =
  | { kind: 'nothing' }
  /** A connection with the kill switch on; `blocked`: whether traffic is, which was looked at. */
  | { kind: 'connection'; connection: Connection; blocked: boolean }
  /** Something that cannot be read, so that nobody knows whether traffic was to be blocked. */
  | { kind: 'unreadable'; blocked: boolean };

/** A way to a captive portal's pages. */
export interface OpenPortal {
  /** On this machine, an HTTP proxy for the user alone who asked for it. */
  proxyPort: number;
}

/** What of a connection can change while it is up. */
export type RoutingChange = Pick<Connection, 'routing'> & { killSwitch?: boolean | undefined };

/** A program with its arguments and environment, as `spawn` takes them. */
export interface UnprivilegedCommand {
  file: string;
  args: string[];
  environment: Record<string, string>;
}

/** Packets that a device has received, without the multicast of IPv6. */
export interface ReceivedPackets {
  ipv4: number;
  ipv6: number;
}

/**
 * Everything that differs between operating systems. `apply`, `configure` and `release` change the system;
 * each writes down how to undo a change before it makes it. They run one after the other, as called.
 */
export interface SystemAdapter {
  /** Why no tunnel can be made on this machine at present, or undefined if one can. */
  unavailable(): Promise<InvalidCause | undefined>;

  /** Undoes what a helper that died has left, engines included. What blocked traffic stays, until `release`. */
  recover(): Promise<Recovery>;

  /**
   * Blocks all traffic that belongs into the tunnel, and creates the tunnel's device. When it resolves no such packet
   * can pass outside the tunnel. Called only while nothing is applied, or what `release` keeps blocked.
   */
  apply(connection: Connection): Promise<void>;

  /** Name of the device that `apply` made. */
  readonly device: string;

  /**
   * Sets addresses, routes and resolvers, in place of those of an earlier call. Resolves to what is set: addresses
   * without those of an IP version that this machine does not have; of resolvers those that are asked through the
   * tunnel, the gateway's or others, or none. Where routes were pushed and are wanted, they count from now on.
   */
  configure(configuration: TunnelConfiguration): Promise<Pick<TunnelConfiguration, 'addresses' | 'dns'>>;

  /**
   * Routes in another way from now on, without touching the tunnel; resolves to false if nothing is applied. Without a
   * kill switch in `change` that stays what it was. No packet that belongs into the tunnel by the old way as well as by
   * the new one passes outside it in between. Rejects when all is routed as before again, or with `RoutingLost`.
   */
  route(change: RoutingChange): Promise<boolean>;

  /** How packets are routed at present, or will be as soon as the tunnel is configured. */
  activeRouting(): ActiveRouting;

  /**
   * Puts everything back as it was before `apply`; `keepBlocking`: what is captured stays blocked, or is so from now on.
   * Resolves to whether it is, which was looked at.
   */
  release(options: { keepBlocking: boolean }): Promise<{ blocked: boolean }>;

  /**
   * Looks whether what was set up is in force, and puts back what is not; false if that cannot be done. What protects
   * traffic is then reported to `watchProtection` too.
   */
  verify(): Promise<boolean>;

  /**
   * Calls back when what protects was taken away by others and cannot be put back (then everything is refused that
   * still can be), and when it is in force again.
   */
  watchProtection(onChange: (inForce: boolean) => void): void;

  /** Calls back when others removed the device, and another took its place: it needs another engine. */
  watchDevice(onRecreated: () => void): void;

  /** Bytes that the device has carried since `apply`, or undefined if there is no device. */
  statistics(): TunnelStatistics | undefined;

  /** Packets that came through the device since `apply`, or undefined if there is no device. */
  receivedPackets(): ReceivedPackets | undefined;

  /** How to run a program as the unprivileged engine user, so that it ends when the helper does. */
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;

  /** Connects to a gateway by TCP, past the tunnel as the engine does; the socket says what comes of it. */
  connectToGateway(gateway: { address: string; port: number }): Socket;

  /**
   * Lets a user out to web pages and nothing else, by a proxy and for that long, while traffic is blocked; undefined if
   * that is no longer wanted when it comes to it. `configure` and an opening `release` close it.
   */
  openPortal(options: {
    client: string;
    forMs: number;
    isWanted: () => boolean;
  }): Promise<OpenPortal | undefined>;
  closePortal(): Promise<void>;

  /** Whether programs can be routed by the group that they are in. */
  routesGroups(): boolean;

  /** Puts a process into its user's group of programs or out of it. Rejects with `NoSuchProcess`. */
  moveProcess(process: ProcessMove): Promise<ProcessesMoved>;

  /**
   * Calls back when the machine's way to the gateway is another one than before, and with whether there is
   * any. Local networks are followed too, where the routing asks for it. Returns what ends the watch.
   */
  watchUplink(onChange: (reachable: boolean) => void): () => void;
}

/** A change of the system that failed for a reason that the user may be told. */
export class SystemChangeFailed extends Error {
  override name = 'SystemChangeFailed';
  readonly reason: DisconnectReason = 'configuration-failed';
}

/** Neither the new routing mode nor the one before could be put in force: only `release` is left. */
export class RoutingLost extends SystemChangeFailed {
  override name = 'RoutingLost';
}
