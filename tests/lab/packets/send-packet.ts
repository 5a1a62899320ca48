import koffi from 'koffi';
import { closeSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';

/** A packet that programs do not send by accident. */
export interface OddPacket {
  /** The one that it is sent by, past the choice that routing makes. */
  readonly device?: string;
  readonly destination: string;
  /** Of UDP. */
  readonly ports?: { readonly source: number; readonly destination: number };
  /**
   * What comes after the IP header, where it is not UDP: if absent, an ICMPv6 message, whose checksum the kernel puts
   * in (RFC 3542 §3.1).
   */
  readonly protocol?: number;
  /** In hexadecimal digits. */
  readonly payload: string;
}

function loadCalls() {
  const libc = koffi.load('libc.so.6');
  return {
    socket: libc.func('int socket(int domain, int type, int protocol)'),
    bind: libc.func('int bind(int fd, const uint8_t *address, uint32_t length)'),
    setsockopt: libc.func(
      'int setsockopt(int fd, int level, int name, const uint8_t *value, uint32_t length)',
    ),
    sendto: libc.func(
      'int64_t sendto(int fd, const uint8_t *data, size_t length, int flags, const uint8_t *to, uint32_t toLength)',
    ),
    interfaceIndex: libc.func('uint32_t if_nametoindex(const char *name)'),
  } as Record<
    'socket' | 'bind' | 'setsockopt' | 'sendto' | 'interfaceIndex',
    (...given: unknown[]) => number
  >;
}

let calls: ReturnType<typeof loadCalls> | undefined;

/** sys/socket.h, netinet/in.h. */
const [datagram, raw] = [2, 3];
const [socketLevel, ipLevel, ipv6Level] = [1, 0, 41];
const option = { bindToDevice: 25, broadcast: 6, ttl: 2, unicastHops: 16, multicastHops: 18 };
const icmpv6 = 58;

function must(status: number, what: string): void {
  if (status < 0) throw new Error(`${what}: error ${koffi.errno()}`);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

/**
 * Sends the packet through that device of the network namespace in which this thread is, with the maximum hop limit;
 * whether the kernel accepted it.
 */
export function sendPacket({ device, destination, ports, protocol, payload }: OddPacket): boolean {
  const { socket, bind, setsockopt, sendto, interfaceIndex } = (calls ??= loadCalls());
  const isSix = isIPv6(destination);
  const to = socketAddress(destination, ports?.destination);
  // The scope of a link-local address (ipv6(7)).
  if (device !== undefined && /^(?:ff02|fe80):/.test(destination))
    to.writeUInt32LE(interfaceIndex(device), 24);

  const fd = socket(addressFamilyOf(destination), ports ? datagram : raw, ports ? 0 : (protocol ?? icmpv6));
  must(fd, 'socket');
  const set = (level: number, name: number, value: Buffer) =>
    must(setsockopt(fd, level, name, value, value.length), `option ${name}`);
  try {
    if (device !== undefined) set(socketLevel, option.bindToDevice, Buffer.from(`${device}\0`));
    set(socketLevel, option.broadcast, integer(1));
    if (isSix) {
      set(ipv6Level, option.unicastHops, integer(255));
      set(ipv6Level, option.multicastHops, integer(255));
    } else set(ipLevel, option.ttl, integer(255));
    if (ports) {
      const own = socketAddress(isSix ? '::' : '0.0.0.0', ports.source);
      must(bind(fd, own, own.length), 'bind');
    }
    const data = Buffer.from(payload, 'hex');
    return sendto(fd, data, data.length, 0, to, to.length) === data.length;
  } finally {
    closeSync(fd);
  }
}
