import { bytesOfIpv6 } from './frame.ts';

/** What a router announces about prefixes (RFC 4861 §4.6.2, RFC 4191 §2.3), as `PREFIX/LENGTH`. */
export interface RouterAdvertisement {
  /** Prefixes that are announced as on-link. */
  readonly onLink?: readonly string[];
  /** Prefixes that are announced as reachable through this router. */
  readonly routes?: readonly string[];
}

const lifetimeSeconds = 600;

/** The ICMPv6 message of a router that does not offer itself as the default router. */
export function routerAdvertisement({ onLink = [], routes = [] }: RouterAdvertisement): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt8(134, 0);
  header.writeUInt8(64, 4);
  return Buffer.concat([header, ...onLink.map(prefixInformation), ...routes.map(routeInformation)]);
}

function prefixInformation(prefix: string): Buffer {
  const { bytes, length } = split(prefix);
  const option = Buffer.alloc(16);
  option.writeUInt8(3, 0);
  option.writeUInt8(4, 1);
  option.writeUInt8(length, 2);
  // On-link, and not for addresses.
  option.writeUInt8(0x80, 3);
  option.writeUInt32BE(lifetimeSeconds, 4);
  option.writeUInt32BE(lifetimeSeconds, 8);
  return Buffer.concat([option, bytes]);
}

function routeInformation(prefix: string): Buffer {
  const { bytes, length } = split(prefix);
  const option = Buffer.alloc(8);
  option.writeUInt8(24, 0);
  option.writeUInt8(3, 1);
  option.writeUInt8(length, 2);
  // Of high preference.
  option.writeUInt8(0x08, 3);
  option.writeUInt32BE(lifetimeSeconds, 4);
  return Buffer.concat([option, bytes]);
}

function split(prefix: string): { bytes: Buffer; length: number } {
  const [address = '', length = ''] = prefix.split('/');
  return { bytes: bytesOfIpv6(address), length: Number(length) };
}
