import type { Say } from '#shared/texts/say.ts';
import type { Finding } from './finding.ts';

export interface KernelRoute {
  address: string;
  device: string;
  /** Whether that is the helper's tunnel device. */
  isTunnel: boolean;
  /** Whether the destination is this machine. */
  isThisMachine: boolean;
  /** Whether the destination is directly on the device's network, or is this machine. */
  isOnLink: boolean;
}

/** What the system of this computer says about the helper's work, to anybody who asks. */
export interface SystemView {
  /** Checks what the helper needs, and what may conflict with it. */
  check(env: Readonly<NodeJS.ProcessEnv>, say: Say): Promise<Finding[]>;
  /** Whether the helper has ended because it does not run with the installed files. */
  hasHelperRefused(): Promise<boolean>;
  /**
   * The device by which the kernel would send to an address, optionally for a user; nothing is sent. Undefined if it
   * would not, or cannot be asked.
   */
  routeTo(address: string, uid?: number): Promise<KernelRoute | undefined>;
  /** Whether the helper captures by destination, as it does with a server that names its own networks. */
  isByDestination(): Promise<boolean>;
  /** The networks of both IP versions that the kernel routes into the tunnel. */
  networksIntoTunnel(): Promise<string[]>;
  /** Whether this process is in the group that is routed by program, like everything that a chosen terminal runs. */
  isInGroup(): boolean;
  /** The user of the socket that listens at this address of this machine; undefined if the system does not say. */
  listenerUser(address: string): Promise<number | undefined>;
}
