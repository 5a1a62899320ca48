import type { Socket } from 'node:net';
import type { ProxyAtAddress } from '#shared/helper/protocol.ts';
import type { ActiveRouting, ConnectionProblem, Gateway, TunnelStatistics } from '#shared/tunnel/state.ts';
import type { PushedRoutes, TunnelConfiguration } from '../network/tunnel-configuration.ts';
import type { UnprivilegedCommand, SecretFile } from './ports/engine-host-port.ts';
import type { ProcessesMoved, ProcessMove } from './ports/program-groups-port.ts';
import type { ReadRouting } from '../modes/read-routing.ts';
import type { DeviceHandle, ReceivedPackets } from './ports/tunnel-device-port.ts';

/** A connection without its secrets, as stored in the journal. */
export interface Connection {
  gateway: Gateway;
  /** The gateway's address, or that of the proxy that leads to it. */
  address: string;
  /** Further ones, best first, that the engine may go on to; those of a gateway are in no journal. */
  otherAddresses?: readonly string[] | undefined;
  proxy?: ProxyAtAddress;
  routing: ReadRouting;
  killSwitch: boolean;
  /** Whether who is behind the gateway may open connections to this machine. */
  allowIncoming?: boolean;
  /** The user who made it, in the system's notation. */
  owner: string;
  /** Asked through the tunnel instead of all others. */
  ownResolvers?: string[] | undefined;
  /** Whether the routes that the gateway pushes decide what mode global sends through the tunnel. */
  split?: boolean;
  /** The tunnel's addresses, while another helper is to make it again: connections from them wait for that. */
  awaitedAddresses?: string[] | undefined;
  /** Those routes, once the gateway has sent them; until then, everything belongs in the tunnel. */
  pushedRoutes?: PushedRoutes | undefined;
}

/** What an earlier helper has left. */
export type Recovery =
  | { kind: 'nothing' }
  /** A connection with the kill switch off, which was undone. */
  | { kind: 'ended'; connection: Connection }
  /** A connection with the kill switch on; `blocked`: whether traffic is blocked, which was checked. */
  | { kind: 'connection'; connection: Connection; blocked: boolean }
  /** An unreadable journal, so it is not known whether traffic should be blocked. */
  | { kind: 'unreadable'; blocked: boolean };

/** An open access to a captive portal's pages. */
export interface OpenPortal {
  /** The port of an HTTP proxy on this machine, only for the user who asked for it. */
  proxyPort: number;
}

/** What can change while a connection is up. */
export type RoutingChange = Pick<Connection, 'routing'> & {
  killSwitch?: boolean | undefined;
  allowIncoming?: boolean | undefined;
};

export interface ReleaseOptions {
  keepBlocking: boolean;
  isAwaited?: boolean;
}

/** What this system has of what not every one has. */
export interface SupportedParts {
  /** Programs can be routed by group. */
  groups: boolean;
  /** The proxy of automatic routing. */
  proxies: boolean;
  /** The proxy for the pages of captive portals. */
  portals: boolean;
}

/**
 * Everything that differs between operating systems. `apply`, `configure` and `release` change the system; each records
 * how to undo a change before it makes it. Calls run one after the other, in order.
 */
export interface SystemAdapter {
  /** Whether this system can have a tunnel. */
  isSupported(): boolean;

  /** Undoes what a crashed helper has left, including engines. What blocked traffic stays until `release`. */
  recover(): Promise<Recovery>;

  /**
   * Blocks all traffic that belongs in the tunnel, and creates the tunnel's device. When it resolves, no such packet
   * can pass outside the tunnel. Call it only while nothing is applied, except what `release` keeps blocked.
   */
  apply(connection: Connection): Promise<void>;

  /** The device that `apply` creates, for engines. */
  readonly device: DeviceHandle;

  /**
   * Sets addresses, routes and resolvers, replacing those of an earlier call. Resolves with what was set: addresses
   * without those of an IP version that this machine does not have, and the resolvers that are asked through the
   * tunnel, which may be the gateway's, others or none. If routes were pushed and are wanted, they apply from now on.
   * `roundTripMs` is as below.
   */
  configure(
    configuration: TunnelConfiguration,
  ): Promise<Pick<TunnelConfiguration, 'addresses' | 'dns'> & { roundTripMs: number | undefined }>;

  /**
   * Changes the routing without touching the tunnel; resolves with false if nothing is applied. What is
   * absent from `change` stays. No packet that belongs in the tunnel before and after the change passes outside it
   * in between. Rejects when everything is routed as before again, or with `RoutingLost`, which is reported to
   * `watchRouting`, too.
   */
  route(change: RoutingChange): Promise<boolean>;

  /**
   * The gateway is at this address now. The engine reaches it there, and at the others; no other address is open to one
   * that is still running.
   */
  moveTo(address: string, otherAddresses?: readonly string[]): Promise<void>;

  /** The same for the others alone; does nothing if nothing is applied. */
  setOtherAddresses(otherAddresses: readonly string[]): Promise<void>;

  /** Whether the machine's settings send the look-ups of its programs to the tunnel's resolvers now. */
  asksTunnelResolvers(): boolean;

  /** How packets are routed now, or will be as soon as the tunnel is configured. */
  activeRouting(): ActiveRouting;

  /**
   * Restores everything as it was before `apply`; `keepBlocking`: what is captured stays blocked, or is blocked from
   * now on. `isAwaited`: another helper makes the tunnel again, for which the programs' connections through it wait as
   * long as traffic is blocked; otherwise they end. Resolves with whether it is blocked, which was checked.
   */
  release(options: ReleaseOptions): Promise<{ blocked: boolean }>;

  /**
   * Checks whether the setup is in force, and restores what is not; false if that fails. A lost protection is then
   * reported to `watchProtection`, too.
   */
  verify(): Promise<boolean>;

  /** The machine has slept: looks at its network again, and at all that was set, as if all of it had changed. */
  lookAgain(): Promise<void>;

  /**
   * Calls back when the protection was removed by others and cannot be restored (then everything that still can be is
   * refused), and when it is in force again.
   */
  watchProtection(onChange: (inForce: boolean) => void): void;

  /** Calls back when neither the wanted routing nor the earlier one can be put in force: only `release` can follow. */
  watchRouting(onLost: () => void): void;

  /** Calls back when others removed the device and a new one replaced it, which needs a new engine. */
  watchDevice(onRecreated: () => void): void;

  /** How others undo what was set, so that it is of no use, and keep doing so. */
  problems(): readonly Extract<ConnectionProblem, 'routes-overruled' | 'dns-contested'>[];

  /** Calls back when they change. */
  watchProblems(onChange: () => void): void;

  /** Bytes that the device has carried since `apply`, or undefined if there is no device. */
  statistics(): TunnelStatistics | undefined;

  /**
   * The engine has reached the gateway, which may name another port for datagrams than that for TLS: lets answers from
   * there reach the engine as soon as it sends to it, and looks for that until the signal is aborted.
   */
  followDatagrams(signal: AbortSignal): void;

  /** The MTU of the link to the gateway, in bytes; undefined if that is not known. */
  linkMtu(): Promise<number | undefined>;

  /** How long the gateway takes to answer the engine, in milliseconds; undefined if that is not known. */
  roundTripMs(): Promise<number | undefined>;

  /** Packets that arrived through the device since `apply`, or undefined if there is no device. */
  receivedPackets(): ReceivedPackets | undefined;

  /**
   * Has connections to the gateway that are made from now on agree on packets with at most so many bytes; undefined: on
   * what both ends take.
   */
  limitSegments(maxSegment: number | undefined): Promise<void>;

  /** See `TunnelDevice`. */
  openEcho(own: string): number | undefined;

  /** How to run a program as the unprivileged engine user, so that it ends when the helper does. */
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;

  /** How to run our own engine's program likewise. */
  ownEngine(): UnprivilegedCommand;

  /** A file for a secret that such a program reads. */
  secretFile(content: string): SecretFile;

  /** Connects to a gateway by TCP, outside the tunnel like the engine; the socket reports the result. */
  connectToGateway(gateway: { address: string; port: number }): Socket;

  /**
   * Lets a user reach web pages and nothing else, through a proxy and for that long, while traffic is blocked;
   * undefined if that is no longer wanted by then. `configure` and an unblocking `release` close it.
   */
  openPortal(options: {
    client: string;
    forMs: number;
    isWanted: () => boolean;
  }): Promise<OpenPortal | undefined>;
  closePortal(): Promise<void>;

  supported(): SupportedParts;

  /** Moves a process into its user's group of programs or out of it. Rejects with `NoSuchProcess`. */
  moveProcess(process: ProcessMove): Promise<ProcessesMoved>;

  /**
   * Calls back when the way of the engine's packets to an address changes, whether or not anything is applied. Returns
   * a function that ends the watch.
   */
  watchWay(address: string, onChange: () => void): () => void;

  /**
   * Calls back when the machine's route to an address of the gateway changes, and with whether there is one, for each
   * such address. Also follows local networks, if the routing needs it. Returns a function that ends the watch.
   */
  watchUplink(
    addresses: () => readonly string[],
    onChange: (isReachable: ReadonlyMap<string, boolean>) => void,
  ): () => void;
}
