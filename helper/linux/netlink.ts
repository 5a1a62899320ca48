import { setImmediate } from 'node:timers/promises';
import koffi from 'koffi';
import {
  decodeMessages,
  encodeMessages,
  type NetlinkMessage,
  type NumberedMessage,
} from './netlink-message.ts';

/** Requests to the kernel without a program in between: starting one takes several times as long as what it does. */

/** Protocols of <linux/netlink.h>. */
export type NetlinkProtocol = 'route' | 'sockets';
const protocolNumbers = { route: 0, sockets: 4 } as const;

/** Error numbers of <asm-generic/errno-base.h>. */
export const errorNumbers = { ENOENT: 2, ESRCH: 3, ENODEV: 19 } as const;

/** Constants of <linux/netlink.h> and <bits/socket.h>. */
const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const SOL_NETLINK = 270;
const NETLINK_GET_STRICT_CHK = 12;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 0x1;
const NLM_F_ACK = 0x4;
const NLM_F_DUMP = 0x300;

/** More than a part of a dump ever has (Linux, net/netlink/af_netlink.c, netlink_dump). */
const receiveBytes = 64 * 1024;

const libc = koffi.load(null);
const openSocket = libc.func('int socket(int, int, int)');
const setOption = libc.func('int setsockopt(int, int, int, const uint32_t *, uint32_t)');
const sendTo = libc.func('intptr_t send(int, const void *, size_t, int)');
const receiveFrom = libc.func('intptr_t recv(int, _Out_ void *, size_t, int)');
const closeDescriptor = libc.func('int close(int)');

export class NetlinkError extends Error {
  override name = 'NetlinkError';
}

/** All messages of a dump. */
export async function netlinkDump(
  protocol: NetlinkProtocol,
  request: NetlinkMessage,
): Promise<NetlinkMessage[]> {
  const found: NetlinkMessage[] = [];
  const encoded = encodeMessages([{ ...request, sequence: 0 }], NLM_F_REQUEST | NLM_F_DUMP);
  await exchange(protocol, encoded, ({ type, payload }) => {
    if (type !== NLMSG_DONE && type !== NLMSG_ERROR) {
      found.push({ type, payload });
      return false;
    }
    // ENOENT: a routing table in which nobody has put anything yet.
    const error = errorOf(payload);
    if (error !== 0 && error !== errorNumbers.ENOENT) throw new NetlinkError(`errno ${error}`);
    return true;
  });
  return found;
}

/**
 * Has the kernel remove things, one after the other; that something is not there is no failure. Each is
 * tried.
 */
export async function netlinkRemove(
  protocol: NetlinkProtocol,
  removals: readonly NetlinkMessage[],
): Promise<void> {
  if (removals.length === 0) return;
  const numbered = removals.map((removal, sequence) => ({ ...removal, sequence }));
  const encoded = encodeMessages(numbered, NLM_F_REQUEST | NLM_F_ACK);
  const missing = new Set(numbered.map(({ sequence }) => sequence));
  const refused: number[] = [];
  await exchange(protocol, encoded, ({ type, sequence, payload }) => {
    if (type !== NLMSG_ERROR) return false;
    const error = errorOf(payload);
    if (error !== 0 && !absent.includes(error)) refused.push(error);
    missing.delete(sequence);
    return missing.size === 0;
  });
  if (refused.length > 0) throw new NetlinkError(`errno ${refused.join(', ')}`);
}

const absent: readonly number[] = Object.values(errorNumbers);

/** What a message of type NLMSG_ERROR or NLMSG_DONE begins with, negative there; 0 is success. */
const errorOf = (payload: Buffer) => (payload.length < 4 ? 0 : -payload.readInt32LE(0));

/** Sends, and hands over what is answered until `isLast`. */
async function exchange(
  protocol: NetlinkProtocol,
  request: Buffer,
  isLast: (message: NumberedMessage) => boolean,
): Promise<void> {
  const descriptor = Number(openSocket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocolNumbers[protocol]));
  if (descriptor < 0) throw new NetlinkError(`no socket: errno ${koffi.errno()}`);
  try {
    // Or dumps of routes do not heed which table is asked for.
    if (protocol === 'route')
      setOption(descriptor, SOL_NETLINK, NETLINK_GET_STRICT_CHK, new Uint32Array([1]), 4);
    await send(descriptor, request);
    const buffer = Buffer.alloc(receiveBytes);
    for (;;) {
      // The kernel did what was asked while it was sent, and answered; of a dump it makes the next part here.
      const length = Number(receiveFrom(descriptor, buffer, buffer.length, MSG_DONTWAIT));
      if (length <= 0) throw new NetlinkError(`no answer: errno ${koffi.errno()}`);
      if (decodeMessages(buffer.subarray(0, length)).some(isLast)) return;
      await setImmediate();
    }
  } finally {
    closeDescriptor(descriptor);
  }
}

/** In a thread: removing a device takes the kernel some 20 ms. */
function send(descriptor: number, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    sendTo.async(descriptor, request, request.length, 0, (error: unknown, sent: unknown) => {
      if (!error && Number(sent) === request.length) resolve();
      else reject(new NetlinkError('the kernel took no message', { cause: error }));
    });
  });
}
