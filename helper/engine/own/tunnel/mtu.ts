import { isIPv6 } from 'node:net';
import { cipherSuites } from '#node/anyconnect/dtls/cipher-suites.ts';
import { overheadOf } from '#node/anyconnect/dtls/record.ts';
import type { ConnectAnswer } from '../cstp/connect-answer.ts';

/** Headers of IPv4 and IPv6 without options, and of UDP. */
const ipBytes = { 4: 20, 6: 40 } as const;
const udpBytes = 8;
/** The kind of a packet in DTLS (draft-mavrogiannopoulos-openconnect-04 §3.2). */
const kindBytes = 1;

const largestRecordOverhead = Math.max(...cipherSuites.map(overheadOf));

/** What DTLS to this address adds to a packet of the tunnel, at most, in bytes. */
export const overheadTo = (gateway: string): number =>
  ipBytes[isIPv6(gateway) ? 6 : 4] + udpBytes + largestRecordOverhead + kindBytes;

/** Whatever a gateway says: no link has smaller packets (RFC 791 §3.2). */
const minMtu = 68;

/** A link whose size nobody knows. */
const usualLinkMtu = 1_500;
/** Links within a machine carry more, which no gateway expects. */
const maxLinkMtu = 9_000;

export const usableLinkMtu = (mtu: number | undefined): number => Math.min(mtu ?? usualLinkMtu, maxLinkMtu);

/**
 * The largest packet in the tunnel: what a datagram on the smaller of both links carries, and what the gateway says,
 * which may have counted for another cipher. TLS carries packets of any size.
 */
export function tunnelMtu(answer: Pick<ConnectAnswer, 'mtu' | 'linkMtu' | 'dtls'>, link: LinkMtu): number {
  const { mtu = Infinity, linkMtu = Infinity } = answer;
  const carried =
    answer.dtls.kind === 'none' && answer.mtu !== undefined
      ? answer.mtu
      : Math.min(mtu, Math.min(linkMtu, link.mtu) - overheadTo(link.gateway));
  return Math.max(carried, minMtu);
}

/** The link to the gateway at an address. */
export interface LinkMtu {
  gateway: string;
  mtu: number;
}

/** Sizes at which a path is probed, of those that are at most `mtu`: 1,280 is what IPv6 needs. */
export const probeSizes = (mtu: number): number[] => [
  mtu,
  ...[1_392, 1_280, 1_152, 1_024, 576].filter((size) => size < mtu),
];
