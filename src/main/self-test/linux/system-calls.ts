import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';
import type { PacketSocket } from '../checks/packet-socket.ts';

/** Constants of the kernel's headers, the same on all supported processors. */
const AF_PACKET = 17;
const socketType = { stream: 1, datagram: 2, raw: 3 } as const;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const CLONE_NEWNET = 0x40000000;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
const SO_RCVBUFFORCE = 33;
const SOL_PACKET = 263;
const PACKET_STATISTICS = 6;
const MSG_DONTWAIT = 0x40;
const POLLIN = 1;
const MS_BIND = 4096;
const MS_REC = 16384;
const TUNSETIFF = 0x4004_54ca;
const IFF_TUN_WITHOUT_HEADER = 0x1001;
/** linux/if_ether.h: every protocol. */
const ETH_P_ALL = 3;

type Call = (...given: unknown[]) => number;
type Calls = Record<
  | 'setns'
  | 'unshare'
  | 'socket'
  | 'bind'
  | 'connect'
  | 'sendto'
  | 'recv'
  | 'read'
  | 'write'
  | 'setsockopt'
  | 'getsockopt'
  | 'ioctl'
  | 'nameToIndex'
  | 'mount',
  Call
> & { poll: Call & { async(...given: unknown[]): void } };
let loaded: Calls | undefined;

function calls(): Calls {
  if (loaded) return loaded;
  const libc = koffi.load(null);
  const declared = (declaration: string) => libc.func(declaration) as unknown as Calls['poll'];
  loaded = {
    setns: declared('int setns(int, int)'),
    unshare: declared('int unshare(int)'),
    socket: declared('int socket(int, int, int)'),
    bind: declared('int bind(int, uint8_t *, uint32_t)'),
    connect: declared('int connect(int, uint8_t *, uint32_t)'),
    sendto: declared('long sendto(int, uint8_t *, size_t, int, uint8_t *, uint32_t)'),
    recv: declared('long recv(int, _Out_ uint8_t *, size_t, int)'),
    read: declared('long read(int, _Out_ uint8_t *, size_t)'),
    write: declared('long write(int, uint8_t *, size_t)'),
    setsockopt: declared('int setsockopt(int, int, int, uint8_t *, uint32_t)'),
    getsockopt: declared('int getsockopt(int, int, int, _Out_ uint8_t *, _Inout_ uint32_t *)'),
    ioctl: declared('int ioctl(int, unsigned long, uint8_t *)'),
    nameToIndex: declared('uint32_t if_nametoindex(const char *)'),
    mount: declared('int mount(const char *, const char *, const char *, unsigned long, const char *)'),
    poll: declared('int poll(_Inout_ uint8_t *, unsigned long, int)'),
  };
  return loaded;
}

/** A call that the system has refused. */
class CallFailed extends Error {
  override name = 'CallFailed';

  constructor(call: string) {
    super(`${call}: errno ${koffi.errno()}`);
  }
}

function checked(call: string, result: number): number {
  if (result < 0) throw new CallFailed(call);
  return result;
}

/**
 * A network namespace. What this thread makes while it is in one, sockets and child processes, stays there
 * (network_namespaces(7)), and Node makes both on its main thread.
 */
export interface NetworkNamespace {
  /** A path by which ip(8) finds it. */
  readonly path: string;
  within<Value>(action: () => Value): Value;
  /** Nothing else of this process may make sockets meanwhile. */
  whileWithin<Value>(action: () => Promise<Value>): Promise<Value>;
}

function namespaceOf(descriptor: number, home: () => number): NetworkNamespace {
  const enter = (target: number) => checked('setns', calls().setns(target, CLONE_NEWNET));
  return {
    path: `/proc/${process.pid}/fd/${descriptor}`,
    within(action) {
      enter(descriptor);
      try {
        return action();
      } finally {
        enter(home());
      }
    },
    async whileWithin(action) {
      enter(descriptor);
      try {
        return await action();
      } finally {
        enter(home());
      }
    },
  };
}

const openOwn = () => openSync('/proc/thread-self/ns/net', 'r');

/** The namespace that this thread is in, and as many new ones as are asked for. */
export function createNamespaces(count: number): { home: NetworkNamespace; others: NetworkNamespace[] } {
  const homeDescriptor = openOwn();
  const home = namespaceOf(homeDescriptor, () => homeDescriptor);
  const others = Array.from({ length: count }, () => {
    checked('unshare', calls().unshare(CLONE_NEWNET));
    const other = namespaceOf(openOwn(), () => homeDescriptor);
    home.within(() => undefined);
    return other;
  });
  return { home, others };
}

/**
 * Shows an open folder, with what is mounted in it, at another place. The descriptor leads there even where something
 * else is mounted over it, which mount(8) does not know: it looks for the path.
 */
export function bindFolder(descriptor: number, place: string): void {
  const source = `/proc/self/fd/${descriptor}`;
  checked(`mount ${place}`, calls().mount(source, place, null, MS_BIND | MS_REC, null));
}

/** A socket that never blocks, for packets whose way is to be seen. */
export interface RawSocket {
  /** False if the kernel refuses, which is a result like any other. */
  send(bytes: Uint8Array, host: string, port: number): boolean;
  /** Begins to connect. */
  connect(host: string, port: number): boolean;
  /** What has come, if anything. */
  receive(): Buffer | undefined;
  close(): void;
}

const EINPROGRESS = 115;
const largest = 65_536;

/** `device`: everything goes out there, whatever the routing says (socket(7), SO_BINDTODEVICE). */
export function openSocket(options: {
  host: string;
  type: keyof typeof socketType;
  protocol?: number;
  device?: string | undefined;
}): RawSocket {
  const { socket, setsockopt, sendto, connect, recv } = calls();
  const type = socketType[options.type] | SOCK_NONBLOCK | SOCK_CLOEXEC;
  const descriptor = checked('socket', socket(addressFamilyOf(options.host), type, options.protocol ?? 0));
  if (options.device !== undefined) {
    const name = Buffer.from(`${options.device}\0`);
    if (setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, name.length) !== 0) {
      const failed = new CallFailed('SO_BINDTODEVICE');
      closeSync(descriptor);
      throw failed;
    }
  }
  return {
    send(bytes, host, port) {
      const address = socketAddress(host, port);
      return sendto(descriptor, Buffer.from(bytes), bytes.length, 0, address, address.length) >= 0;
    },
    connect(host, port) {
      const address = socketAddress(host, port);
      return connect(descriptor, address, address.length) === 0 || koffi.errno() === EINPROGRESS;
    },
    receive() {
      const buffer = Buffer.alloc(largest);
      const length = recv(descriptor, buffer, buffer.length, MSG_DONTWAIT);
      return length > 0 ? buffer.subarray(0, length) : undefined;
    },
    close: () => closeSync(descriptor),
  };
}

/** Enough for everything that a self-test sends between two looks. */
const roomBytes = 16 * 1024 * 1024;

/** By packet(7). */
export function openPacketSocket(device: string): PacketSocket {
  const { socket, bind, setsockopt, getsockopt, recv, sendto, nameToIndex } = calls();
  const index = nameToIndex(device);
  if (index === 0) throw new Error(`there is no device ${device}`);
  const type = socketType.raw | SOCK_NONBLOCK | SOCK_CLOEXEC;
  const descriptor = checked('packet socket', socket(AF_PACKET, type, swapped(ETH_P_ALL)));
  // struct sockaddr_ll.
  const place = Buffer.alloc(20);
  place.writeUInt16LE(AF_PACKET, 0);
  place.writeUInt16BE(ETH_P_ALL, 2);
  place.writeInt32LE(index, 4);
  checked('bind', bind(descriptor, place, place.length));
  const room = Buffer.alloc(4);
  room.writeInt32LE(roomBytes, 0);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, room, room.length);
  const buffer = Buffer.alloc(largest);
  return {
    next() {
      const length = recv(descriptor, buffer, buffer.length, MSG_DONTWAIT);
      return length > 0 ? Buffer.from(buffer.subarray(0, length)) : undefined;
    },
    send: (frame) =>
      void checked('sendto', sendto(descriptor, Buffer.from(frame), frame.length, 0, place, place.length)),
    lost() {
      // struct tpacket_stats: packets and drops, counted since the last time.
      const statistics = Buffer.alloc(8);
      const length = new Uint32Array([statistics.length]);
      checked('PACKET_STATISTICS', getsockopt(descriptor, SOL_PACKET, PACKET_STATISTICS, statistics, length));
      return statistics.readUInt32LE(4);
    },
    close: () => closeSync(descriptor),
  };
}

const swapped = (number: number) => ((number & 0xff) << 8) | (number >> 8);

/** A TUN device, in the network namespace that this thread is in. */
export interface TunnelEnd {
  /** Writes one packet; it is dropped while the device is down. */
  write(packet: Uint8Array): void;
  close(): void;
}

/** How long a look for packets lasts: an end is noticed as late as that, in milliseconds. */
const lookMs = 100;

export function openTunnelEnd(name: string, onPacket: (packet: Buffer) => void): TunnelEnd {
  const { ioctl, read, write, poll } = calls();
  const descriptor = openSync('/dev/net/tun', 'r+');
  // struct ifreq.
  const request = Buffer.alloc(40);
  request.write(name, 0, 15, 'latin1');
  request.writeUInt16LE(IFF_TUN_WITHOUT_HEADER, 16);
  if (ioctl(descriptor, TUNSETIFF, request) < 0) {
    const failed = new CallFailed('TUNSETIFF');
    closeSync(descriptor);
    throw failed;
  }
  const buffer = Buffer.alloc(largest);
  // struct pollfd: looked at by another thread, since Node waits for no such device itself.
  const wanted = Buffer.alloc(8);
  wanted.writeInt32LE(descriptor, 0);
  wanted.writeInt16LE(POLLIN, 4);
  let isOpen = true;
  const isReadable = () => {
    const now = Buffer.from(wanted);
    return poll(now, 1, 0) > 0 && (now.readInt16LE(6) & POLLIN) !== 0;
  };
  const look = () => {
    poll.async(wanted, 1, lookMs, () => {
      if (!isOpen) return closeSync(descriptor);
      while (isReadable()) {
        const length = read(descriptor, buffer, buffer.length);
        if (length <= 0) break;
        onPacket(Buffer.from(buffer.subarray(0, length)));
      }
      look();
    });
  };
  look();
  return {
    write: (packet) => void write(descriptor, Buffer.from(packet), packet.length),
    close: () => (isOpen = false),
  };
}
