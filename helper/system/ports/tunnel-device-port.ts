import type { Duplex } from 'node:stream';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import type { Guarded } from './guarded.ts';

export interface DeviceConfiguration {
  mtu: number;
  addresses: readonly string[];
}

/** Packets that a device has received, without IPv6 multicast. */
export interface ReceivedPackets {
  ipv4: number;
  ipv6: number;
}

/**
 * What a device has in front of each packet: a header of virtio (OASIS, §5.1.6), which may leave work to who reads it,
 * the number of the packet's family, or its length, where packets come through a pipe.
 */
export type PacketHeader = 'virtio' | 'family' | 'length';

/**
 * The device for the engine's process. It may be handed over before the device exists, since an engine starts while the
 * system is prepared: a device of that name is made for the engine's user, who opens it, or gets it opened.
 */
export interface DeviceHandle {
  readonly name: string;
  readonly packetHeader: PacketHeader;
  open(): OpenedDevice;
}

/** What a process inherits, from which it reads the packets that the device is to send, and the reverse. */
export interface OpenedDevice {
  /** A descriptor, or, where a process without privileges cannot have that, a pipe with packets in frames. */
  readonly inherited: number | 'overlapped';
  /**
   * Connects what was inherited with the device, which must exist; throws if it does not. `pipe`: this end of the pipe,
   * if one was asked for.
   */
  attach(pipe: Duplex | null): void;
  /** Closes this process's descriptor; more calls do nothing. */
  close(): void;
}

/** The tunnel's network device. */
export interface TunnelDevice extends Guarded {
  /** For people. */
  readonly name: string;
  readonly handle: DeviceHandle;
  /** Whether there is a device with that name, ours or not. */
  exists(): boolean;
  /** Creates it, for the engine's user to open. */
  create(): Promise<void>;
  /** Sets its MTU, addresses and the routes to everything; existing ones stay. */
  configure(configuration: DeviceConfiguration): Promise<void>;
  /** Removes addresses that are not among those of the last `configure`. */
  removeAddresses(old: readonly string[]): Promise<void>;
  remove(): Promise<void>;
  /** Bytes it has carried since it was created; undefined if there is none. */
  statistics(): TunnelStatistics | undefined;
  /** Packets that it has received; undefined if there is none. */
  receivedPackets(): ReceivedPackets | undefined;
  /**
   * A socket for ICMP echo requests from one of its addresses, whose replies are as large as they are, as a descriptor
   * that the caller closes; undefined where the system does not allow that.
   */
  openEcho(own: string): number | undefined;
}
