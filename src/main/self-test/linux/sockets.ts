import { closeSync } from 'node:fs';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';
import type { PacketSocket } from '../checks/packet-socket.ts';
import { CallFailed, calls, checked } from './system-calls.ts';

/** Constants of the kernel's headers, the same on all supported processors. */
const AF_PACKET = 17;
const socketType = { stream: 1, datagram: 2, raw: 3 } as const;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
const SO_RCVBUFFORCE = 33;
const SOL_PACKET = 263;
const PACKET_STATISTICS = 6;
const MSG_DONTWAIT = 0x40;
const EINPROGRESS = 115;
/** linux/if_ether.h: every protocol. */
const ETH_P_ALL = 3;

/** The largest packet, in bytes. */
const largest = 65_536;

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
