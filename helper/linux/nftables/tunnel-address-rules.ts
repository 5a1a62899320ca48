import ipaddr from 'ipaddr.js';
import { isIPv4, isIPv6 } from 'node:net';
import { filterTable, tunnelDevice } from '../identifiers.ts';
import { chain, type Filter, nftFamilyOf } from './chain.ts';

/** What keeps others from finding the tunnel's addresses, from using them, and from coming in by the tunnel. */

/**
 * What comes out of the tunnel reaches the machine only as an answer, and only at the tunnel's own addresses, unless
 * more may come in. The rule that looks at connections makes the kernel track all of them: nothing else tells an answer
 * in UDP from a stranger's datagram.
 */
export function incomingRules({ tunnelAddresses, allowIncoming }: Filter): string[] {
  const answers = allowIncoming ? '' : ' ct state established,related';
  return [
    `iifname != "${tunnelDevice}" accept`,
    ...tunnelAddresses.map((own) => `${nftFamilyOf(own)} daddr ${own}${answers} accept`),
    'drop',
  ];
}

/**
 * The tunnel has no neighbours and no routers (RFC 4861). Otherwise the kernel would believe a gateway about which
 * networks are on the tunnel's device, in the main table, and about a default route.
 */
export const noNeighboursRule = `icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, nd-redirect } iifname "${tunnelDevice}" drop`;

/**
 * Packets to the tunnel's address that arrive on other devices are forged: with them, somebody on the local network
 * could detect and disturb connections inside the tunnel (CVE-2019-14899). So are those from it, which the
 * kernel itself refuses with IPv4 only.
 */
export function spoofRules(filter: Filter): string[] {
  return filter.tunnelAddresses.flatMap((own) =>
    ['daddr', 'saddr'].map((end) => `${nftFamilyOf(own)} ${end} ${own} iifname != ${ownDevices} drop`),
  );
}

/** What the tunnel's address is used on. */
const ownDevices = `{ "${tunnelDevice}", "lo" }`;

/**
 * Nobody on another link learns that this machine has the tunnel's address, by asking for its hardware address. With
 * IPv6 the kernel answers for the link's own addresses only, unless it is a proxy for others. The address that is
 * sought begins 8 bytes after the message does (RFC 4861 §4.3).
 */
export function soughtRules({ tunnelAddresses }: Filter): string[] {
  return tunnelAddresses
    .filter(isIPv6)
    .map(
      (own) => `icmpv6 type nd-neighbor-solicit iifname != ${ownDevices} @th,64,128 ${digitsOf(own)} drop`,
    );
}

/**
 * The same for ARP (RFC 826), where the kernel answers on every link for every address that the machine has
 * (ip-sysctl.rst, arp_ignore), and may name any of them when it asks (arp_announce). The tunnel's device has no ARP.
 */
export function arpTable({ tunnelAddresses }: Filter): string[] {
  const own = tunnelAddresses.filter(isIPv4);
  if (own.length === 0) return [];
  return [
    `table arp ${filterTable} {`,
    ...chain(
      'input',
      'filter hook input priority filter',
      'accept',
      own.map((address) => `arp daddr ip ${address} drop`),
    ),
    ...chain(
      'output',
      'filter hook output priority filter',
      'accept',
      own.map((address) => `arp saddr ip ${address} drop`),
    ),
    '}',
  ];
}

const digitsOf = (address: string) => `0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`;

/**
 * Errors that quote a packet of the tunnel's address and arrive on other devices are forged as well: they would end or
 * slow down connections inside the tunnel, and so tell who sent them that there are such. The quoted packet begins 8
 * bytes after the message does (RFC 792, RFC 4443 §3), and its source is 12 bytes further with IPv4, 8 with IPv6. Of
 * one in fragments, the first need not have that; no real one is so long that it has to be in fragments (RFC 1812
 * §4.3.2.3, RFC 4443 §2.4).
 */
export function forgedErrorRules(filter: Filter): string[] {
  const errors = {
    ip: 'icmp type { destination-unreachable, source-quench, redirect, time-exceeded, parameter-problem }',
    ip6: 'icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem }',
  };
  const quotedSource = { ip: '@th,160,32', ip6: '@th,128,128' };
  const isFragment = { ip: 'ip frag-off & 0x3fff != 0', ip6: 'exthdr frag exists' };
  return filter.tunnelAddresses.flatMap((own) => {
    const family = nftFamilyOf(own);
    const forged = `${errors[family]} iifname != ${ownDevices}`;
    return [
      `${forged} ${quotedSource[family]} ${digitsOf(own)} drop`,
      `${isFragment[family]} ${forged} drop`,
    ];
  });
}
