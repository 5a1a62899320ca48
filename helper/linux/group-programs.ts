import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Hook } from './bpf.ts';

/** The programs of a group, each as the kernel's instructions (RFC 9669). */

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
/** All 32 bits as they are: `set` would make a negative number of them. */
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
/** A table's descriptor, which the kernel makes its address of (BPF_PSEUDO_MAP_FD). */
const tableOf = (to: Register, descriptor: number) =>
  Buffer.concat([instruction(0x18, to, 1, 0, descriptor), instruction(0, 0, 0, 0, 0)]);

/** Helpers of `enum bpf_func_id`. */
const mapLookUp = 1;
const mapUpdate = 2;
const getSocketCookie = 46;
const setSocketOption = 49;

/** Of <asm-generic/socket.h>. */
const SOL_SOCKET = 1;
const SO_MARK = 36;

/** Where `struct bpf_sock` has the mark; `struct __sk_buff` the mark and the device. */
const socketMarkAt = 16;
const packetMarkAt = 8;
const packetDeviceAt = 40;
/** The loopback device is the first of every network. */
const loopback = 1;

/** Of `struct bpf_sock_addr`. */
const address4At = 4;
const address6At = 8;
const portAt = 24;
/** As the network has it. */
const dnsPort = 53 << 8;

const allow = [set(0, 1), exit];
const refuse = [set(0, 0), exit];
const words = [0, 4, 8, 12] as const;
/** What comes before an address of IPv4 in one of IPv6 (RFC 4291 §2.5.5.2), as the machine reads it. */
const mappedPrefix = [0, 0, 0xffff0000] as const;

/** What the table of look-ups has for each socket, by its cookie: whom the program asked, as an address of IPv6. */
export const lookUpSizes = { key: 8, value: 16, entries: 4096 } as const;

/** Where look-ups are sent; none: they are refused. */
export interface LookUps {
  resolvers: readonly string[];
  /** Descriptor of the table of look-ups. */
  table: number;
}

/**
 * What a group needs: that its sockets are told by their mark from birth, and at `connect` once more, as for those that
 * the kernel makes for a program, of Multipath TCP and SMC. With `lookUps`: that names are asked where its packets go,
 * and that nothing leaves without the mark.
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
    // The kernel takes an address of IPv4 in one of IPv6 here.
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

/** For a look-up, whose context is in register 6; others skip it. */
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

/** By whether the program asked an address of IPv4 in one of IPv6, or one of IPv6. */
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

/** Notes the 16 bytes before the frame's last 8 for the socket. */
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

/** An answer comes from whom the program has asked, or those that compare would not take it. */
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

/** The four words of an address of IPv6, or of one that has an address of IPv4 in it, as the machine reads them. */
function wordsOf(address: string): number[] {
  const parsed = ipaddr.parse(address);
  const bytes = Buffer.from(
    (parsed instanceof ipaddr.IPv4 ? parsed.toIPv4MappedAddress() : parsed).toByteArray(),
  );
  return words.map((at) => bytes.readUInt32LE(at));
}
