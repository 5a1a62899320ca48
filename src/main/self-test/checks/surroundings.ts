import type { AddressPair, Place } from '../addresses.ts';
import type { Packet } from '../packets/frame.ts';
import type { Observer, Unchecked } from '../verdict.ts';
import type { UplinkWatch } from './uplink-watch.ts';

/** What checks reach or must not reach, by address. */
export interface Places {
  /** The gateway's own addresses and port, by TCP and UDP: what carries the tunnel. */
  gateway: { addresses: readonly string[]; port: number };
  /** Two hosts, one of which is routed otherwise in some modes. */
  host: AddressPair;
  other: AddressPair;
  /** A resolver of others. */
  resolver: AddressPair;
  /** The router of the uplink's network, by IPv4: it often is a resolver as well. */
  router: string;
  /** Of the tunnel: the computer's own, and the gateway's resolvers. */
  tunnel: AddressPair;
  tunnelResolver: AddressPair;
  /** Addresses on the uplink's network at which another computer answers; it may be the gateway's. */
  neighbours: readonly Host[];
}

export interface Host {
  host: string;
  port: number;
}

/** What a gateway has done so far. */
export interface Counts {
  signIns: number;
  tunnels: number;
  /** Packets out of the tunnel, by what they came. */
  packets: Readonly<Record<'tls' | 'dtls', number>>;
}

/** The other end of the tunnel, and what is behind it. */
export interface FarSide {
  counts(): Promise<Counts>;
  /** What has come to the hosts or resolvers of a place, of that which contains `token`. */
  heard(place: Place, token: string): Promise<string[]>;
  /**
   * Does `first`, upon which the gateway takes no connections and no datagrams while `meanwhile` runs, or nearly so
   * long.
   */
  away<Value>(first: () => void, meanwhile: () => Promise<Value>): Promise<Value>;
}

/** Sends what a program would send; `false` if the system refuses, which is a result like any other. */
export interface ProbeSocket {
  readonly send: () => boolean;
  readonly close: () => void;
}

export interface PingSocket extends ProbeSocket {
  /** Whether it has been answered. */
  readonly isAnswered: () => boolean;
  /** Whether a packet is one of these requests. */
  readonly isIn: (packet: Packet) => boolean;
}

/** The computer whose protection is looked at, as its own system's calls and programs show it. */
export interface Computer {
  /** `isBound`: by the uplink, whatever the routing says. They throw if the system has no such sockets for us. */
  datagrams(to: Host & { bytes: Uint8Array; isBound: boolean }): ProbeSocket;
  /** Each `send` begins one more connection. */
  connections(to: Host & { isBound: boolean }): ProbeSocket;
  /** `token`: what they contain, where the system lets programs decide that. */
  pings(to: { host: string; token: string; isBound: boolean }): PingSocket;
  /** Adds routes by way of the uplink's network, or removes them. Throws if the system refuses. */
  changeRoutes(action: 'add' | 'delete', routes: readonly Route[]): void;
  /** Gives the uplink further addresses, or takes them away. Throws if the system refuses. */
  changeAddresses(action: 'add' | 'delete', addresses: readonly string[]): void;
  /** What a tunnel changes of a computer, by name, as the system's own programs tell it. */
  snapshot(): Readonly<Record<string, string>>;
  /** The engine's processes. */
  engineProcesses(): number[];
}

/** A prefix, and the router that leads there. */
export interface Route {
  prefix: string;
  via: string;
}

export interface NeighbourAnswers {
  tried: string[];
  answered: string[];
}

/** Everything that a self-test is made with, apart from the product. */
export interface Surroundings {
  readonly places: Places;
  /** Whether the computer has IPv6, and whether packets by it find a way out without a tunnel. */
  readonly hasIpv6: boolean;
  readonly hasIpv6Outside: boolean;
  /** Whether hosts answer outside of the tunnel, too. If not, only a capture shows that packets have gone there. */
  readonly answersOutside: boolean;
  /** Whether others use this network, too, so that the computer has to keep its address. */
  readonly isShared: boolean;
  /** Whether the gateway runs on the same computer, so that the tunnel's own packets are on no wire. */
  readonly isOnThisComputer: boolean;
  /** A host that answers by TCP when there is no tunnel; undefined if no other computer is known to. */
  readonly reachedOutside: Host | undefined;
  readonly farSide: FarSide;
  readonly computer: Computer;
  /** Undefined: nobody can see what leaves. */
  readonly watch: UplinkWatch | undefined;
  /** Routes as a hostile network's DHCP gives them (RFC 3442, CVE-2024-3661). */
  readonly hostileRoutes: readonly Route[];
  /**
   * Has a neighbour find out whether the computer answers for addresses: names of the ways that it has tried, and those
   * that were answered. Undefined: there is no neighbour that can.
   */
  readonly askAsNeighbour: ((addresses: AddressPair) => Promise<NeighbourAnswers>) | undefined;
  readonly neighbourObservers: readonly Observer[];
  readonly whyNoNeighbour: Unchecked;
  /** Why there is no neighbour that answers, if there is none. */
  readonly whyNoHost: Unchecked;
}
