import koffi from 'koffi';
import { isIPv6 } from 'node:net';
import { bytesOfIpv6 } from './frame.ts';

/** A packet that programs do not send by accident. */
export interface OddPacket {
  /** The one that it is sent by, past the choice that routing makes. */
  readonly device?: string;
  readonly destination: string;
  /** Of UDP. */
  readonly ports?: { readonly source: number; readonly destination: number };
  /**
   * What comes after the IP header, where it is not UDP: if absent, an ICMPv6 message, whose checksum the kernel puts in
   * (RFC 3542 §3.1).
   */
  readonly protocol?: number;
  /** In hexadecimal digits. */
  readonly payload: string;
}

/**
 * Runs inside a machine, `node send-packet.ts JSON`: sends the packet through that device, with the maximum hop limit.
 * A failure to send is a result, reported as `refused` on standard output.
 */
const packet = JSON.parse(process.argv[2] ?? '') as OddPacket;
const { device, destination, ports, payload } = packet;
const isSix = isIPv6(destination);

const libc = koffi.load('libc.so.6');
const socket = libc.func('int socket(int domain, int type, int protocol)');
const bind = libc.func('int bind(int fd, const uint8_t *address, uint32_t length)');
const setsockopt = libc.func(
  'int setsockopt(int fd, int level, int name, const uint8_t *value, uint32_t length)',
);
const sendto = libc.func(
  'int64_t sendto(int fd, const uint8_t *data, size_t length, int flags, const uint8_t *to, uint32_t toLength)',
);
const interfaceIndex = libc.func('uint32_t if_nametoindex(const char *name)');

/** sys/socket.h, netinet/in.h. */
const domain = isSix ? 10 : 2;
const [datagram, raw] = [2, 3];
const [socketLevel, ipLevel, ipv6Level] = [1, 0, 41];
const option = { bindToDevice: 25, broadcast: 6, ttl: 2, unicastHops: 16, multicastHops: 18 };
const icmpv6 = 58;

/** struct sockaddr_in or sockaddr_in6. */
function socketAddress(address: string, port: number): Buffer {
  const bytes = Buffer.alloc(isSix ? 28 : 16);
  bytes.writeUInt16LE(domain, 0);
  bytes.writeUInt16BE(port, 2);
  if (!isSix) {
    Buffer.from(address.split('.').map(Number)).copy(bytes, 4);
    return bytes;
  }
  bytesOfIpv6(address).copy(bytes, 8);
  if (device !== undefined && /^(?:ff02|fe80):/.test(address))
    bytes.writeUInt32LE(interfaceIndex(device) as number, 24);
  return bytes;
}

const fd = socket(domain, ports ? datagram : raw, ports ? 0 : (packet.protocol ?? icmpv6)) as number;

function must(status: number, what: string): void {
  if (status < 0) throw new Error(`${what}: error ${koffi.errno()}`);
}

function set(level: number, name: number, value: Buffer): void {
  must(setsockopt(fd, level, name, value, value.length) as number, `option ${name}`);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

must(fd, 'socket');
if (device !== undefined) set(socketLevel, option.bindToDevice, Buffer.from(`${device}\0`));
set(socketLevel, option.broadcast, integer(1));
if (isSix) {
  set(ipv6Level, option.unicastHops, integer(255));
  set(ipv6Level, option.multicastHops, integer(255));
} else set(ipLevel, option.ttl, integer(255));
if (ports) {
  const own = socketAddress(isSix ? '::' : '0.0.0.0', ports.source);
  must(bind(fd, own, own.length) as number, 'bind');
}
const data = Buffer.from(payload, 'hex');
const to = socketAddress(destination, ports?.destination ?? 0);
const sent = sendto(fd, data, data.length, 0, to, to.length) as number;
process.stdout.write(sent === data.length ? 'sent\n' : `refused: error ${koffi.errno()}\n`);
