import { setImmediate } from 'node:timers/promises';
import koffi from 'koffi';
import {
  decodeMessages,
  encodeMessages,
  headerLength,
  type NetlinkMessage,
  type NumberedMessage,
} from './netlink-message.ts';

/** Requests to the kernel without a program in between: starting one takes several times as long as the request. */

/** Protocols of <linux/netlink.h>. */
export type NetlinkProtocol = 'route' | 'sockets' | 'nftables';
const protocolNumbers = { route: 0, sockets: 4, nftables: 12 } as const;

/** Error numbers of <asm-generic/errno-base.h>. */
export const errorNumbers = { ENOENT: 2, ESRCH: 3, ENODEV: 19, EOPNOTSUPP: 95 } as const;

/** Constants of <linux/netlink.h> and <bits/socket.h>. */
const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const SOL_SOCKET = 1;
const SO_SNDBUFFORCE = 32;
const SOL_NETLINK = 270;
const NETLINK_GET_STRICT_CHK = 12;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 0x1;
const NLM_F_ACK = 0x4;
const NLM_F_DUMP = 0x300;
const NLM_F_REPLACE = 0x100;
const NLM_F_CREATE = 0x400;

/** More than a part of a dump ever has (Linux, net/netlink/af_netlink.c, netlink_dump). */
const receiveBytes = 64 * 1024;
/** For pending requests: more than the kernel allows by default, and no more memory than necessary. */
const sendBytes = 4 * 1024 * 1024;
/** How many routes one send contains. */
const perRequest = 2_000;

let loaded: ReturnType<typeof load> | undefined;
/** Loaded when it is first needed. */
const libc = () => (loaded ??= load());

function load() {
  const library = koffi.load(null);
  return {
    socket: library.func('int socket(int, int, int)'),
    setOption: library.func('int setsockopt(int, int, int, const uint32_t *, uint32_t)'),
    send: library.func('intptr_t send(int, const void *, size_t, int)'),
    receive: library.func('intptr_t recv(int, _Out_ void *, size_t, int)'),
    close: library.func('int close(int)'),
  };
}

export class NetlinkError extends Error {
  override name = 'NetlinkError';
  /** The kernel's error; undefined if it was not asked or did not answer. */
  readonly errno: number | undefined;

  constructor(message: string, options: ErrorOptions & { errno?: number } = {}) {
    super(message, options);
    this.errno = options.errno;
  }
}

/** Requests that differ in a few bytes; a list has a hundred thousand of them. */
export interface MessageSeries {
  length: number;
  template: NetlinkMessage;
  /** Turns the template's payload at `at` into that of one request. */
  write(payload: Buffer, at: number, index: number): void;
}

/**
 * All messages of a dump. `take`: called with each message instead, returns true if no more are needed; the message is
 * only valid during the call.
 */
export async function netlinkDump(
  protocol: NetlinkProtocol,
  request: NetlinkMessage,
  take?: (message: NetlinkMessage) => boolean | void,
): Promise<NetlinkMessage[]> {
  const found: NetlinkMessage[] = [];
  const encoded = encodeMessages([{ ...request, sequence: 0 }], NLM_F_REQUEST | NLM_F_DUMP);
  await exchange(protocol, encoded, ({ type, payload }) => {
    if (type !== NLMSG_DONE && type !== NLMSG_ERROR) {
      if (take) return take({ type, payload }) === true;
      found.push({ type, payload: Buffer.from(payload) });
      return false;
    }
    // ENOENT: a routing table that was never used. EOPNOTSUPP: the kernel does not support this.
    const error = errorOf(payload);
    if (error !== 0 && error !== ENOENT && error !== EOPNOTSUPP) throw new NetlinkError(`errno ${error}`);
    return true;
  });
  return found;
}

/** Removes things, one after the other; it is not a failure if something is not there. Each is tried. */
export async function netlinkRemove(
  protocol: NetlinkProtocol,
  removals: readonly NetlinkMessage[],
): Promise<void> {
  for (let at = 0; at < removals.length; at += perRequest) {
    await inOneRequest(protocol, removals.slice(at, at + perRequest), 0, absent);
  }
}

/** Changes what is there. */
export async function netlinkChange(protocol: NetlinkProtocol, change: NetlinkMessage): Promise<void> {
  await inOneRequest(protocol, [change], 0, []);
}

/** Creates or changes things, one after the other, some thousands at a time. */
export async function netlinkReplace(protocol: NetlinkProtocol, series: MessageSeries): Promise<void> {
  const flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_REPLACE;
  const one = encodeMessages([{ ...series.template, sequence: 1 }], flags);
  const last = encodeMessages([{ ...series.template, sequence: 2 }], flags | NLM_F_ACK);
  for (let at = 0; at < series.length; at += perRequest) {
    const count = Math.min(perRequest, series.length - at);
    const encoded = Buffer.alloc(count * one.length, one);
    last.copy(encoded, (count - 1) * one.length);
    for (let index = 0; index < count; index += 1)
      series.write(encoded, index * one.length + headerLength, at + index);
    await sendAll(protocol, encoded, []);
  }
}

/** Does everything or nothing, enclosed in the messages that ask for that. */
export async function netlinkBatch(
  messages: readonly NetlinkMessage[],
  frame: { begin: NetlinkMessage; end: NetlinkMessage },
): Promise<void> {
  await inOneRequest('nftables', messages, NLM_F_CREATE, [], frame);
}

/** Sends a request and returns its answer. */
export async function netlinkRequest(
  protocol: NetlinkProtocol,
  request: NetlinkMessage,
): Promise<NetlinkMessage> {
  let answer: NetlinkMessage | undefined;
  await exchange(protocol, encodeMessages([{ ...request, sequence: 0 }], NLM_F_REQUEST), (message) => {
    if (message.type === NLMSG_ERROR) {
      const errno = errorOf(message.payload);
      throw new NetlinkError(`errno ${errno}`, { errno });
    }
    answer = { type: message.type, payload: Buffer.from(message.payload) };
    return true;
  });
  if (!answer) throw new NetlinkError('no answer');
  return answer;
}

/** Only the last one is acknowledged, and before it each one that is refused. */
async function inOneRequest(
  protocol: NetlinkProtocol,
  messages: readonly NetlinkMessage[],
  flags: number,
  harmless: readonly number[],
  frame?: { begin: NetlinkMessage; end: NetlinkMessage },
): Promise<void> {
  const last = messages.at(-1);
  if (!last) return;
  const number = (all: readonly NetlinkMessage[], sequence: number) =>
    all.map((message) => ({ ...message, sequence }));
  const encoded = Buffer.concat([
    ...(frame ? [encodeMessages(number([frame.begin], 0), NLM_F_REQUEST)] : []),
    encodeMessages(number(messages.slice(0, -1), 1), NLM_F_REQUEST | flags),
    encodeMessages(number([last], 2), NLM_F_REQUEST | NLM_F_ACK | flags),
    ...(frame ? [encodeMessages(number([frame.end], 3), NLM_F_REQUEST)] : []),
  ]);
  await sendAll(protocol, encoded, harmless);
}

/**
 * Requests have sequence number 1; the last one has 2 and is acknowledged. The messages that enclose them have others.
 */
async function sendAll(
  protocol: NetlinkProtocol,
  encoded: Buffer,
  harmless: readonly number[],
): Promise<void> {
  const refused = new Set<number>();
  await exchange(protocol, encoded, ({ type, sequence, payload }) => {
    if (type !== NLMSG_ERROR) return false;
    const error = errorOf(payload);
    if (error !== 0 && !harmless.includes(error)) refused.add(error);
    // If the enclosing messages are refused, nothing was done.
    return sequence === 2 || (sequence !== 1 && error !== 0);
  });
  if (refused.size > 0) throw new NetlinkError(`errno ${[...refused].join(', ')}`);
}

const { ENOENT, ESRCH, ENODEV, EOPNOTSUPP } = errorNumbers;
const absent: readonly number[] = [ENOENT, ESRCH, ENODEV];

/** The first field of NLMSG_ERROR and NLMSG_DONE messages, which is negative there; 0 means success. */
const errorOf = (payload: Buffer) => (payload.length < 4 ? 0 : -payload.readInt32LE(0));

/** Sends, and passes on what is received until `isLast`. */
async function exchange(
  protocol: NetlinkProtocol,
  request: Buffer,
  isLast: (message: NumberedMessage) => boolean,
): Promise<void> {
  const { socket, setOption, receive, close } = libc();
  const descriptor = Number(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocolNumbers[protocol]));
  if (descriptor < 0) throw new NetlinkError(`no socket: errno ${koffi.errno()}`);
  try {
    // Otherwise dumps of routes ignore the requested table.
    if (protocol === 'route')
      setOption(descriptor, SOL_NETLINK, NETLINK_GET_STRICT_CHK, new Uint32Array([1]), 4);
    setOption(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, new Uint32Array([sendBytes]), 4);
    await send(descriptor, request);
    const buffer = Buffer.alloc(receiveBytes);
    for (;;) {
      // The kernel processed the request and answered during the send; the next part of a dump is created here.
      const length = Number(receive(descriptor, buffer, buffer.length, MSG_DONTWAIT));
      if (length <= 0) throw new NetlinkError(`no answer: errno ${koffi.errno()}`);
      if (decodeMessages(buffer.subarray(0, length)).some(isLast)) return;
      await setImmediate();
    }
  } finally {
    close(descriptor);
  }
}

/** In a thread, because removing a device takes the kernel about 20 ms. */
function send(descriptor: number, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    libc().send.async(descriptor, request, request.length, 0, (error: unknown, sent: unknown) => {
      if (!error && Number(sent) === request.length) resolve();
      else reject(new NetlinkError('the kernel took no message', { cause: error }));
    });
  });
}
