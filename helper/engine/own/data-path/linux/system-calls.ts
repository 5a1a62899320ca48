import { endianness } from 'node:os';
import koffi from 'koffi';
import type { Arena } from '../arena.ts';

/**
 * The system calls of the data path, with memory of an arena, whose bounds are checked for each. What fails is a
 * negative number, as in the kernel: -EAGAIN. Constants and structures are those of Linux on 64 bits, lowest byte
 * first.
 */
export interface SystemCalls {
  read(descriptor: number, at: number, length: number): number;
  write(descriptor: number, at: number, length: number): number;
  /** The device's flags (`IFF_…`). */
  deviceFlags(descriptor: number): number;
  setOffload(descriptor: number, flags: number): number;
  setNonBlocking(descriptor: number): number;
  /** A socket for datagrams to and from this place alone. */
  openDatagramSocket(place: { address: readonly number[]; port: number }): number;
  setOption(descriptor: number, level: number, name: number, value: number): number;
  close(descriptor: number): number;
  /** Sends one datagram, or with `segment` as many as there are pieces of that size. */
  send(descriptor: number, at: number, length: number, segment: number): number;
  /** Receives into slots of the arena; how many datagrams, or joined ones, have come. */
  receive(descriptor: number, into: ReceiveSlots): number;
  /** Waits; how many of these have something. -1 ms: without an end. */
  poll(descriptors: PollSet, timeoutMs: number): number;
  /** Not exactly, and at most some hundred. */
  sleepMicroseconds(time: number): void;
  /** A descriptor that `poll` finds readable after `wake`. */
  openWaker(): number;
}

export const errno = { EINTR: 4, EIO: 5, EAGAIN: 11, EINVAL: 22, EMSGSIZE: 90, ENOBUFS: 105 } as const;

export const pollIn = 1;
export const pollOut = 4;

/** `struct pollfd` one after the other. */
export interface PollSet {
  readonly at: number;
  readonly room: number;
  count: number;
}

/** Where datagrams are received into, and what is known of each. */
export interface ReceiveSlots {
  readonly count: number;
  /** The bytes of the datagram, or of several that have been joined. */
  slotAt(index: number): number;
  lengthOf(index: number): number;
  /** The size of those that have been joined; the length of one that is alone. */
  segmentOf(index: number): number;
}

export const slotBytes = 65_536;

const O_RDWR_NONBLOCK = 0x802;
const F_SETFL = 4;
const TUNGETIFF = 0x8004_54d2;
const TUNSETOFFLOAD = 0x4004_54d0;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM_NONBLOCK_CLOEXEC = 0x2 | 0x800 | 0x80000;
const EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;
const solUdp = 17;
const udpSegment = 103;
const udpGro = 104;

/**
 * Sizes of `struct msghdr`, `struct mmsghdr`, `struct iovec`, a `cmsghdr` with a number, and of what is read of those.
 */
const messageBytes = 56;
const multiMessageBytes = 64;
const vectorBytes = 16;
const controlBytes = 64;
const controlHeaderBytes = 16;
const requestBytes = 40;

type Call = (...numbers: number[]) => number | bigint;

export function createSystemCalls(arena: Arena): SystemCalls {
  if (endianness() !== 'LE' || process.platform !== 'linux') throw new Error('no such system calls here');
  const library = koffi.load(null);
  const bind = (declaration: string): Call => library.func(declaration) as Call;
  const native = {
    read: bind('int64_t read(int, uintptr_t, size_t)'),
    write: bind('int64_t write(int, uintptr_t, size_t)'),
    ioctl: bind('int ioctl(int, unsigned long, uintptr_t)'),
    fcntl: bind('int fcntl(int, int, int)'),
    socket: bind('int socket(int, int, int)'),
    connect: bind('int connect(int, uintptr_t, unsigned int)'),
    setsockopt: bind('int setsockopt(int, int, int, uintptr_t, unsigned int)'),
    close: bind('int close(int)'),
    sendmsg: bind('int64_t sendmsg(int, uintptr_t, int)'),
    recvmmsg: bind('int recvmmsg(int, uintptr_t, unsigned int, int, uintptr_t)'),
    poll: bind('int poll(uintptr_t, unsigned long, int)'),
    usleep: bind('int usleep(unsigned int)'),
    eventfd: bind('int eventfd(unsigned int, int)'),
  };
  const { view, bytes } = arena;
  const outcome = (result: number | bigint) => (Number(result) < 0 ? -koffi.errno() : Number(result));
  const setAddress = (at: number, address: number) => view.setBigUint64(at, BigInt(address), true);

  const scratch = arena.take(64);
  const message = arena.take(messageBytes);
  const vector = arena.take(vectorBytes);
  const control = arena.take(controlHeaderBytes + 8);
  setAddress(message + 16, arena.address(vector, vectorBytes));
  view.setBigUint64(message + 24, 1n, true);
  view.setBigUint64(control, BigInt(controlHeaderBytes + 2), true);
  view.setInt32(control + 8, solUdp, true);
  view.setInt32(control + 12, udpSegment, true);
  const controlAddress = BigInt(arena.address(control, controlHeaderBytes + 8));

  return {
    read: (descriptor, at, length) => outcome(native.read(descriptor, arena.address(at, length), length)),
    write: (descriptor, at, length) => outcome(native.write(descriptor, arena.address(at, length), length)),
    deviceFlags(descriptor) {
      bytes.fill(0, scratch, scratch + requestBytes);
      const status = outcome(native.ioctl(descriptor, TUNGETIFF, arena.address(scratch, requestBytes)));
      return status < 0 ? status : view.getUint16(scratch + 16, true);
    },
    setOffload: (descriptor, flags) => outcome(native.ioctl(descriptor, TUNSETOFFLOAD, flags)),
    setNonBlocking: (descriptor) => outcome(native.fcntl(descriptor, F_SETFL, O_RDWR_NONBLOCK)),
    openDatagramSocket({ address, port }) {
      const isIpv6 = address.length === 16;
      const length = isIpv6 ? 28 : 16;
      bytes.fill(0, scratch, scratch + length);
      view.setUint16(scratch, isIpv6 ? AF_INET6 : AF_INET, true);
      view.setUint16(scratch + 2, port);
      bytes.set(address, scratch + (isIpv6 ? 8 : 4));
      const family = isIpv6 ? AF_INET6 : AF_INET;
      const descriptor = outcome(native.socket(family, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0));
      if (descriptor < 0) return descriptor;
      const status = outcome(native.connect(descriptor, arena.address(scratch, length), length));
      if (status < 0) native.close(descriptor);
      return status < 0 ? status : descriptor;
    },
    setOption(descriptor, level, name, value) {
      view.setInt32(scratch, value, true);
      return outcome(native.setsockopt(descriptor, level, name, arena.address(scratch, 4), 4));
    },
    close: (descriptor) => outcome(native.close(descriptor)),
    send(descriptor, at, length, segment) {
      setAddress(vector, arena.address(at, length));
      view.setUint32(vector + 8, length, true);
      view.setBigUint64(message + 32, segment > 0 ? controlAddress : 0n, true);
      view.setUint32(message + 40, segment > 0 ? controlHeaderBytes + 8 : 0, true);
      if (segment > 0) view.setUint16(control + controlHeaderBytes, segment, true);
      return outcome(native.sendmsg(descriptor, arena.address(message, messageBytes), 0));
    },
    receive(descriptor, slots) {
      const own = slots as OwnSlots;
      for (let index = 0; index < own.count; index += 1)
        view.setUint32(own.messages + index * multiMessageBytes + 40, controlBytes, true);
      const address = arena.address(own.messages, own.count * multiMessageBytes);
      return outcome(native.recvmmsg(descriptor, address, own.count, 0, 0));
    },
    poll(set, timeoutMs) {
      if (set.count > set.room) throw new RangeError('too many descriptors');
      return outcome(native.poll(arena.address(set.at, set.count * 8), set.count, timeoutMs));
    },
    sleepMicroseconds: (time) => void native.usleep(Math.min(time, 1_000)),
    openWaker: () => outcome(native.eventfd(0, EFD_NONBLOCK_CLOEXEC)),
  };
}

interface OwnSlots extends ReceiveSlots {
  readonly messages: number;
}

export function createReceiveSlots(arena: Arena, count: number): ReceiveSlots {
  const { view } = arena;
  const slots = arena.take(count * slotBytes);
  const messages = arena.take(count * multiMessageBytes);
  const vectors = arena.take(count * vectorBytes);
  const controls = arena.take(count * controlBytes);
  for (let index = 0; index < count; index += 1) {
    const at = messages + index * multiMessageBytes;
    const vector = vectors + index * vectorBytes;
    const set = (offset: number, value: number) => view.setBigUint64(offset, BigInt(value), true);
    set(vector, arena.address(slots + index * slotBytes, slotBytes));
    set(vector + 8, slotBytes);
    set(at + 16, arena.address(vector, vectorBytes));
    set(at + 24, 1);
    set(at + 32, arena.address(controls + index * controlBytes, controlBytes));
  }
  const lengthOf = (index: number) =>
    Math.min(view.getUint32(messages + index * multiMessageBytes + 56, true), slotBytes);
  const made: OwnSlots = {
    count,
    messages,
    slotAt: (index) => slots + index * slotBytes,
    lengthOf,
    segmentOf(index) {
      const length = view.getUint32(messages + index * multiMessageBytes + 40, true);
      const at = controls + index * controlBytes;
      const isJoined =
        length >= controlHeaderBytes + 4 &&
        view.getInt32(at + 8, true) === solUdp &&
        view.getInt32(at + 12, true) === udpGro;
      const segment = isJoined ? view.getInt32(at + controlHeaderBytes, true) : 0;
      return segment > 0 ? segment : lengthOf(index);
    },
  };
  return made;
}

export function createPollSet(arena: Arena, room: number): PollSet {
  return { at: arena.take(room * 8), room, count: 0 };
}
