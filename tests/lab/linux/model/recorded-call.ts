/** What the helper's adapter for Linux has asked of the kernel, in the order in which it was done. */
export type RecordedCall =
  /**
   * Lines for `ip -batch`; `family`: of the lines whose addresses do not say it; `continues`: after a line that is
   * refused, too.
   */
  | { kind: 'ip'; family: 4 | 6 | undefined; continues: boolean; lines: string[] }
  /** A script for `nft -f`, which is done as a whole. */
  | { kind: 'nft'; script: string }
  /** Requests of <linux/rtnetlink.h> or nftables, without their headers; payloads in hexadecimal digits. */
  | { kind: 'netlink'; protocol: 'route' | 'nftables'; messages: { type: number; payload: string }[] };

/** A packet that a program of this machine is about to send, and how its socket is bound. */
export interface Probe {
  destination: string;
  protocol: 'tcp' | 'udp';
  destinationPort: number;
  user: number;
  /** The address to which its socket is bound. */
  source?: string;
  /** The device to which it is bound. */
  device?: string;
}

/** Where a packet goes: out by the link, into the tunnel, or neither. */
export type Outcome = 'uplink' | 'tunnel' | 'nowhere';
