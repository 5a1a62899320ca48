import { isIPv6 } from 'node:net';
import { constants, layouts, layoutsWithoutHeader, withoutHeader } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';
import { splitMessages } from './route-message.ts';
import { decodeAddress, decodeMask, encodeAddress, encodeMask, splitAddresses } from './socket-address.ts';

export interface NetworkInterface {
  index: number;
  name: string;
  isUp: boolean;
  isLoopback: boolean;
  mtu: number;
  /** Addresses with the length of their prefix. */
  addresses: string[];
  /** Bytes and packets since it was made; multicast packets are those that have come. */
  received: { bytes: number; packets: number; multicast: number };
  sent: { bytes: number };
}

/** The system's network interfaces. Those with a name throw `CallFailed`, with ENXIO if there is no such interface. */
export interface InterfaceCalls {
  list(): NetworkInterface[];
  setMtu(name: string, bytes: number): void;
  /** Brings it up. */
  setUp(name: string): void;
  /** An address that leads to nobody else on the link; one that is there already stays. */
  addAddress(name: string, address: string): void;
  removeAddress(name: string, address: string): 'removed' | 'absent';
}

const { if_msghdr2, if_data64, ifa_msghdr, ifreq, ifaliasreq } = layouts;
const { in6_aliasreq, in6_ifreq } = layoutsWithoutHeader;

export function createInterfaceCalls(libc: Libc): InterfaceCalls {
  function request(family: number, number: number, argument: Buffer): void {
    const descriptor = libc.socket(family, constants.SOCK_DGRAM, 0);
    try {
      libc.ioctl(descriptor, number, argument);
    } finally {
      libc.close(descriptor);
    }
  }

  return {
    list() {
      const content = libc.sysctl([constants.CTL_NET, constants.AF_ROUTE, 0, 0, constants.NET_RT_IFLIST2, 0]);
      return decodeInterfaces(content);
    },
    setMtu(name, bytes) {
      const argument = named(ifreq.size, name);
      argument.writeInt32LE(bytes, ifreq.ifr_ifru);
      request(constants.AF_INET, constants.SIOCSIFMTU, argument);
    },
    setUp(name) {
      const argument = named(ifreq.size, name);
      request(constants.AF_INET, constants.SIOCGIFFLAGS, argument);
      const flags = argument.readUInt16LE(ifreq.ifr_ifru);
      argument.writeUInt16LE(flags | constants.IFF_UP, ifreq.ifr_ifru);
      request(constants.AF_INET, constants.SIOCSIFFLAGS, argument);
    },
    addAddress(name, address) {
      if (isIPv6(address))
        request(constants.AF_INET6, withoutHeader.SIOCAIFADDR_IN6, ipv6Alias(name, address));
      else request(constants.AF_INET, constants.SIOCAIFADDR, ipv4Alias(name, address));
    },
    removeAddress(name, address) {
      const isSix = isIPv6(address);
      const argument = named(isSix ? in6_ifreq.size : ifreq.size, name);
      encodeAddress(address).copy(argument, isSix ? in6_ifreq.ifr_addr : ifreq.ifr_ifru);
      try {
        if (isSix) request(constants.AF_INET6, withoutHeader.SIOCDIFADDR_IN6, argument);
        else request(constants.AF_INET, constants.SIOCDIFADDR, argument);
        return 'removed';
      } catch (error) {
        const isAbsent = error instanceof CallFailed && error.errno === constants.EADDRNOTAVAIL;
        if (isAbsent) return 'absent';
        throw error;
      }
    },
  };
}

function named(size: number, name: string): Buffer {
  const argument = Buffer.alloc(size);
  argument.write(name, 0, constants.IFNAMSIZ - 1, 'latin1');
  return argument;
}

/** `struct ifaliasreq`: the other end of the link is the address itself. */
function ipv4Alias(name: string, address: string): Buffer {
  const argument = named(ifaliasreq.size, name);
  encodeAddress(address).copy(argument, ifaliasreq.ifra_addr);
  encodeAddress(address).copy(argument, ifaliasreq.ifra_broadaddr);
  encodeMask(4, 32).copy(argument, ifaliasreq.ifra_mask);
  return argument;
}

/** `struct in6_aliasreq`, without another end and without an end of its life. */
function ipv6Alias(name: string, address: string): Buffer {
  const argument = named(in6_aliasreq.size, name);
  encodeAddress(address).copy(argument, in6_aliasreq.ifra_addr);
  encodeMask(6, 128).copy(argument, in6_aliasreq.ifra_prefixmask);
  argument.writeUInt32LE(withoutHeader.ND6_INFINITE_LIFETIME, in6_aliasreq.ia6t_vltime);
  argument.writeUInt32LE(withoutHeader.ND6_INFINITE_LIFETIME, in6_aliasreq.ia6t_pltime);
  return argument;
}

/** Each interface's message is followed by those of its addresses (XNU, bsd/net/rtsock.c, sysctl_iflist2). */
function decodeInterfaces(content: Buffer): NetworkInterface[] {
  const found = new Map<number, NetworkInterface>();
  for (const { type, message } of splitMessages(content)) {
    if (type === constants.RTM_IFINFO2) {
      const one = decodeInterface(message);
      if (one) found.set(one.index, one);
    } else if (type === constants.RTM_NEWADDR) {
      const address = decodeOwnAddress(message);
      if (address) found.get(message.readUInt16LE(ifa_msghdr.ifam_index))?.addresses.push(address);
    }
  }
  return [...found.values()];
}

function decodeInterface(message: Buffer): NetworkInterface | undefined {
  if (message.length < if_msghdr2.size) throw new Error('a message about an interface is too short');
  const present = message.readInt32LE(if_msghdr2.ifm_addrs);
  const [link] = splitAddresses(message.subarray(if_msghdr2.size), present).values();
  const address = link && decodeAddress(link);
  if (address?.kind !== 'link') return undefined;
  const flags = message.readInt32LE(if_msghdr2.ifm_flags);
  const counter = (at: number) => Number(message.readBigUInt64LE(if_msghdr2.ifm_data + at));
  return {
    index: message.readUInt16LE(if_msghdr2.ifm_index),
    name: address.name,
    isUp: (flags & constants.IFF_UP) !== 0,
    isLoopback: (flags & constants.IFF_LOOPBACK) !== 0,
    mtu: message.readUInt32LE(if_msghdr2.ifm_data + if_data64.ifi_mtu),
    addresses: [],
    received: {
      bytes: counter(if_data64.ifi_ibytes),
      packets: counter(if_data64.ifi_ipackets),
      multicast: counter(if_data64.ifi_imcasts),
    },
    sent: { bytes: counter(if_data64.ifi_obytes) },
  };
}

function decodeOwnAddress(message: Buffer): string | undefined {
  if (message.length < ifa_msghdr.size) throw new Error('a message about an address is too short');
  const addresses = splitAddresses(
    message.subarray(ifa_msghdr.size),
    message.readInt32LE(ifa_msghdr.ifam_addrs),
  );
  const own = addresses.get(constants.RTAX_IFA);
  const address = own && decodeAddress(own);
  if (address?.kind !== 'ip') return undefined;
  const version = isIPv6(address.address) ? 6 : 4;
  const mask = addresses.get(constants.RTAX_NETMASK);
  const length = mask && decodeMask(mask, version);
  return `${address.address}/${length ?? (version === 4 ? 32 : 128)}`;
}
