import dnsPacket from 'dns-packet';
import { addresses, ports } from '../network/addresses.ts';
import type { CapturedPacket } from './frame.ts';

/** What left or reached the user's machine outside the tunnel. */
export type Leak =
  /** A packet that contains the marker in the clear. */
  | { kind: 'cleartext'; packet: CapturedPacket }
  /** A message to or from a resolver, over port 53 or 853. */
  | { kind: 'dns'; packet: CapturedPacket; name: string | undefined }
  /** IPv6, except to the gateway and except for what keeps a link alive. */
  | { kind: 'ipv6'; packet: CapturedPacket }
  /** Any other IP packet that is not to or from the gateway, and not unsolicited. */
  | { kind: 'other'; packet: CapturedPacket };

const gatewayAddresses: readonly string[] = [
  ...Object.values(addresses.gateway),
  ...Object.values(addresses.untrustedGateway),
];

/**
 * Packets to these addresses are sent by other machines, such as a server that closes a connection from before the
 * tunnel. If they answer something that has left, that is in the capture, too.
 */
const ownAddresses: readonly string[] = [
  ...Object.values(addresses.user),
  ...Object.values(addresses.userPrivate),
];

const icmpv6 = 58;
/** Router and neighbour discovery and multicast listener messages (RFC 4861 §4, RFC 3810 §5), never forwarded. */
const linkMessages = [130, 131, 132, 133, 134, 135, 136, 137, 143];
/** What the kernel says of the groups that programs join and leave, on the link alone (RFC 3376 §4). */
const igmp = 2;
const allIgmpRouters = '224.0.0.22';
const dnsPorts = [ports.dns, 853];

/** Finds the packets in a capture that must not be outside a tunnel; `marker` is the text in probes. */
export function findLeaks(packets: readonly CapturedPacket[], marker: string): Leak[] {
  return packets.flatMap((packet): Leak[] => {
    if (packet.payload.includes(marker)) {
      const name = dnsName(packet);
      return [name === undefined ? { kind: 'cleartext', packet } : { kind: 'dns', packet, name }];
    }
    if (isDns(packet)) return [{ kind: 'dns', packet, name: dnsName(packet) }];
    if (packet.family === 'other' || isWithGateway(packet) || isLinkMessage(packet)) return [];
    if (ownAddresses.includes(packet.destination)) return [];
    return [{ kind: packet.family === 'ipv6' ? 'ipv6' : 'other', packet }];
  });
}

export const kindsOf = (leaks: readonly Leak[]): Leak['kind'][] =>
  [...new Set(leaks.map(({ kind }) => kind))].sort();

export const describeLeak = ({ kind, packet }: Leak): string =>
  `${kind} ${packet.source}:${packet.sourcePort} > ${packet.destination}:${packet.destinationPort}`;

function isWithGateway({ source, destination, sourcePort, destinationPort }: CapturedPacket): boolean {
  return (
    (gatewayAddresses.includes(destination) && destinationPort === ports.gateway) ||
    (gatewayAddresses.includes(source) && sourcePort === ports.gateway)
  );
}

function isLinkMessage({ protocol, destination, payload }: CapturedPacket): boolean {
  if (protocol === igmp) return destination === allIgmpRouters;
  return protocol === icmpv6 && payload.length > 0 && linkMessages.includes(payload.readUInt8(0));
}

function isDns({ sourcePort, destinationPort }: CapturedPacket): boolean {
  return dnsPorts.includes(sourcePort) || dnsPorts.includes(destinationPort);
}

function dnsName(packet: CapturedPacket): string | undefined {
  if (!isDns(packet)) return undefined;
  try {
    return dnsPacket.decode(packet.payload).questions?.[0]?.name;
  } catch {
    // Part of a TCP stream, or not DNS.
    return undefined;
  }
}
