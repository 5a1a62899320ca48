import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Hook } from './bpf.ts';

/** The BPF programs of a group, as instructions (RFC 9669). */

type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 10;
const frame = 10;

function instruction(code: number, to: Register, from: number, offset: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes[0] = code;
  bytes[1] = to | (from << 4);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(value | 0, 4);
  return bytes;
}
const set = (to: Register, value: number) => instruction(0xb7, to, 0, 0, value);
/** All 32 bits unchanged: `set` would sign-extend them. */
const set32 = (to: Register, value: number) => instruction(0xb4, to, 0, 0, value);
const copy = (to: Register, from: Register) => instruction(0xbf, to, from, 0, 0);
const add = (to: Register, value: number) => instruction(0x07, to, 0, 0, value);
const load32 = (to: Register, from: Register, offset: number) => instruction(0x61, to, from, offset, 0);
const store32 = (to: Register, offset: number, from: Register) => instruction(0x63, to, from, offset, 0);
const store64 = (to: Register, offset: number, from: Register) => instruction(0x7b, to, from, offset, 0);
const call = (helper: number) => instruction(0x85, 0, 0, 0, helper);
const exit = instruction(0x95, 0, 0, 0, 0);
const skipUnlessEqual = (register: Register, value: number, skipped: Buffer[]) =>
  Buffer.concat([instruction(0x56, register, 0, lengthOf(skipped), value), ...skipped]);
const lengthOf = (all: readonly Buffer[]) => all.reduce((sum, { length }) => sum + length, 0) / 8;
/** A table's descriptor, which the kernel replaces with its address (BPF_PSEUDO_MAP_FD). */
const tableOf = (to: Register, descriptor: number) =>
  Buffer.concat([instruction(0x18, to, 1, 0, descriptor), instruction(0, 0, 0, 0, 0)]);

/** Helper functions of `enum bpf_func_id`. */
const mapLookUp = 1;
const mapUpdate = 2;
const getSocketCookie = 46;
const setSocketOption = 49;

/** Constants of <asm-generic/socket.h>. */
const SOL_SOCKET = 1;
const SO_MARK = 36;

/** The offset of the mark in `struct bpf_sock`; of the mark and the device in `struct __sk_buff`. */
const socketMarkAt = 16;
const packetMarkAt = 8;
const packetDeviceAt = 40;
/** The loopback device is the first one of every network namespace. */
const loopback = 1;

/** Offsets in `struct bpf_sock_addr`. */
const address4At = 4;
const address6At = 8;
const portAt = 24;
/** In network byte order. */
const dnsPort = 53 << 8;

const allow = [set(0, 1), exit];
const refuse = [set(0, 0), exit];
const words = [0, 4, 8, 12] as const;
/** The prefix of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), in this machine's byte order. */
const mappedPrefix = [0, 0, 0xffff0000] as const;

/** The table of look-ups has for each socket, by its cookie, the server that the program asked, as an IPv6 address. */
export const lookUpSizes = { key: 8, value: 16, entries: 4096 } as const;

/** Where look-ups are sent; if empty, they are refused. */
export interface LookUps {
  resolvers: readonly string[];
  /** The descriptor of the table of look-ups. */
  table: number;
}

/**
 * The programs of a group. They mark its sockets when they are created, and again at `connect`, for sockets that the
 * kernel creates for a program (Multipath TCP, SMC). With `lookUps`, they also send look-ups to the same place as its
 * packets, and drop packets without the mark.
 */
export function groupPrograms(mark: number, lookUps?: LookUps): Partial<Record<Hook, Buffer>> {
  const setMark = [
    copy(6, 1),
    set32(2, mark),
    store32(frame, -4, 2),
    set(2, SOL_SOCKET),
    set(3, SO_MARK),
    copy(4, frame),
    add(4, -4),
    set(5, 4),
    call(setSocketOption),
  ];
  const created = Buffer.concat([set32(2, mark), store32(1, socketMarkAt, 2), ...allow]);
  if (!lookUps) {
    const connect = Buffer.concat([...setMark, ...allow]);
    return { created, connect4: connect, connect6: connect };
  }
  const ipv4 = lookUps.resolvers.find((address) => !isIPv6(address));
  const ipv6 = lookUps.resolvers.find(isIPv6);
  const { table } = lookUps;
  const [mapped, native] = [ipv4, ipv6].map((address) =>
    address === undefined ? undefined : wordsOf(address),
  );
  const program = (...parts: Buffer[]) => Buffer.concat([...parts, ...allow]);
  const [to4, onlyNative] = [redirect4(table, ipv4), redirect6(table, { mapped: undefined, native })];
  return {
    created,
    connect4: program(...setMark, to4),
    // Here the kernel accepts IPv4-mapped IPv6 addresses.
    connect6: program(...setMark, redirect6(table, { mapped, native: native ?? mapped })),
    send4: program(copy(6, 1), to4),
    send6: program(copy(6, 1), onlyNative),
    receive4: program(copy(6, 1), restore(table, [12], address4At)),
    receive6: program(copy(6, 1), restore(table, words, address6At)),
    leave: Buffer.concat([
      load32(2, 1, packetMarkAt),
      skipUnlessEqual(2, mark, allow),
      load32(2, 1, packetDeviceAt),
      skipUnlessEqual(2, loopback, allow),
      ...refuse,
    ]),
  };
}

/** Code for a look-up, whose context is in register 6; other packets skip it. */
const ifLookUp = (parts: Buffer[]) =>
  Buffer.concat([load32(2, 6, portAt), skipUnlessEqual(2, dnsPort, parts)]);

function redirect4(table: number, resolver: string | undefined): Buffer {
  if (resolver === undefined) return ifLookUp(refuse);
  const [, , , own = 0] = wordsOf(resolver);
  return ifLookUp([
    ...mappedPrefix.flatMap((word, index) => [set32(2, word), store32(frame, index * 4 - 24, 2)]),
    load32(2, 6, address4At),
    store32(frame, -12, 2),
    ...remember(table),
    set32(2, own),
    store32(6, address4At, 2),
  ]);
}

/** Depends on whether the program asked an IPv4-mapped address or a native IPv6 address. */
function redirect6(table: number, to: Record<'mapped' | 'native', readonly number[] | undefined>): Buffer {
  const sendTo = (target: readonly number[] | undefined) =>
    target
      ? [
          ...words.flatMap((at, index) => [set32(2, target[index] ?? 0), store32(6, address6At + at, 2)]),
          ...allow,
        ]
      : refuse;
  const isMapped = mappedPrefix.reduceRight<Buffer[]>(
    (inner, word, index) => [load32(2, 6, address6At + index * 4), skipUnlessEqual(2, word, inner)],
    sendTo(to.mapped),
  );
  return ifLookUp([
    ...words.flatMap((at) => [load32(2, 6, address6At + at), store32(frame, at - 24, 2)]),
    ...remember(table),
    ...isMapped,
    ...sendTo(to.native),
  ]);
}

/** Stores the 16 bytes before the frame's last 8 for the socket. */
const remember = (table: number) => [
  ...cookieKey,
  tableOf(1, table),
  copy(2, frame),
  add(2, -8),
  copy(3, frame),
  add(3, -24),
  set(4, 0),
  call(mapUpdate),
];

const cookieKey = [copy(1, 6), call(getSocketCookie), store64(frame, -8, 0)];

/** Answers must come from the server that the program has asked, because some programs check that. */
function restore(table: number, from: readonly number[], to: number): Buffer {
  return ifLookUp([
    ...cookieKey,
    tableOf(1, table),
    copy(2, frame),
    add(2, -8),
    call(mapLookUp),
    Buffer.concat([
      instruction(0x15, 0, 0, from.length * 2, 0),
      ...from.flatMap((at, index) => [load32(2, 0, at), store32(6, to + index * 4, 2)]),
    ]),
  ]);
}

/** The four words of an IPv6 or IPv4-mapped address, in this machine's byte order. */
function wordsOf(address: string): number[] {
  const parsed = ipaddr.parse(address);
  const bytes = Buffer.from(
    (parsed instanceof ipaddr.IPv4 ? parsed.toIPv4MappedAddress() : parsed).toByteArray(),
  );
  return words.map((at) => bytes.readUInt32LE(at));
}
