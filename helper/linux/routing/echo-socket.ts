import { closeSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';

/** Constants of <linux/net.h> and <linux/in.h>, the same on all supported platforms. */
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const IPPROTO_ICMP = 1;
const IPPROTO_ICMPV6 = 58;

interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  bind(descriptor: number, address: Buffer, length: number): number;
}

let loaded: Libc | undefined;

/** Loaded when it is first needed: other systems have no such functions. */
function libc(): Libc {
  if (loaded) return loaded;
  const library = koffi.load(null);
  loaded = {
    socket: library.func('int socket(int, int, int)') as Libc['socket'],
    bind: library.func('int bind(int, const void *, uint32_t)') as Libc['bind'],
  };
  return loaded;
}

/**
 * The descriptor of a socket that sends ICMP echo requests from one of this machine's addresses and takes the replies
 * to them alone, without the right to raw packets (icmp(7), ping_group_range); undefined where the system does not let
 * this process have one, or no longer has the address.
 */
export function openEchoSocket(own: string): number | undefined {
  const protocol = isIPv6(own) ? IPPROTO_ICMPV6 : IPPROTO_ICMP;
  const descriptor = libc().socket(addressFamilyOf(own), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (descriptor < 0) return undefined;
  const address = socketAddress(own);
  if (libc().bind(descriptor, address, address.length) === 0) return descriptor;
  closeSync(descriptor);
  return undefined;
}
