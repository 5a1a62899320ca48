/** `struct virtio_net_hdr` of <linux/virtio_net.h>, in front of each packet of a device with IFF_VNET_HDR. */
export const virtioBytes = 10;

export const virtio = {
  /** Offsets. */
  flags: 0,
  kind: 1,
  headerLength: 2,
  segment: 4,
  checksumStart: 6,
  checksumOffset: 8,
  needsChecksum: 1,
  none: 0,
  tcp4: 1,
  tcp6: 4,
  udp: 5,
  /** Beside the kind: the first segment alone keeps CWR (RFC 3168 §6.1.2). */
  ecn: 0x80,
} as const;

/** Offsets of the checksums in TCP and UDP. */
export const tcpChecksum = 16;
export const udpChecksum = 6;
