import { randomBytes } from 'node:crypto';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import type { CstpChannel } from '../cstp/channel.ts';

/**
 * Says whether what the gateway's system has for this machine comes by the tunnel: a packet that may travel no further
 * than to there has it answer that the packet's time is over, as traceroute does. Some systems never answer, or do not
 * count themselves as a hop.
 */
export interface FirstHop {
  /** Makes one more question, for the machine with this address of IPv4 in the tunnel. */
  ask(own: string): Question;
  /** Whether a packet answers a question, and hence is for nobody else. `by`: the channel of TLS by which it has come. */
  takes(packet: Buffer, by?: CstpChannel): boolean;
  /** Whether any question has been answered so far. */
  hasAnswered(): boolean;
}

export interface Question {
  packet: Buffer;
  /** Resolves when the answer to it has come, which may be never, with the channel of TLS by which it has. */
  answered: Promise<CstpChannel | undefined>;
}

/** No packet for it gets anywhere (RFC 5737). */
const nowhere = Buffer.from([192, 0, 2, 1]);
const headerBytes = 20;
/** An echo request of ICMP, without data: its identifier and sequence number say which question it is. */
const echoBytes = 8;
const icmpProtocol = 1;
/** RFC 792. */
const types = { echoReply: 0, unreachable: 3, echoRequest: 8, timeExceeded: 11 } as const;
/** Older ones are no longer waited for. */
const maxOpen = 16;

export function createFirstHop(): FirstHop {
  const open = new Map<number, (by: CstpChannel | undefined) => void>();
  let hasAnswered = false;
  return {
    ask(own) {
      const token = randomBytes(4).readUInt32BE();
      const { promise: answered, resolve } = Promise.withResolvers<CstpChannel | undefined>();
      open.set(token, resolve);
      for (const oldest of open.keys()) if (open.size > maxOpen) open.delete(oldest);
      return { packet: echoRequest(own, token), answered };
    },
    takes(packet, by) {
      const token = tokenIn(packet);
      const resolve = token === undefined ? undefined : open.get(token);
      if (token === undefined || !resolve) return false;
      open.delete(token);
      hasAnswered = true;
      resolve(by);
      return true;
    },
    hasAnswered: () => hasAnswered,
  };
}

function echoRequest(own: string, token: number): Buffer {
  const packet = Buffer.alloc(headerBytes + echoBytes);
  const header = packet.subarray(0, headerBytes);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(packet.length, 2);
  // Its time to live.
  header.writeUInt8(1, 8);
  header.writeUInt8(icmpProtocol, 9);
  Buffer.from(own.split('.').map(Number)).copy(header, 12);
  nowhere.copy(header, 16);
  header.writeUInt16BE(internetChecksum(header), 10);
  const echo = packet.subarray(headerBytes);
  echo.writeUInt8(types.echoRequest, 0);
  echo.writeUInt32BE(token, 4);
  echo.writeUInt16BE(internetChecksum(echo), 2);
  return packet;
}

/** That of a reply, or of the request that an error is about: as much of it as any system quotes. */
function tokenIn(packet: Buffer): number | undefined {
  const message = icmpIn(packet);
  if (!message) return undefined;
  switch (message.readUInt8(0)) {
    case types.echoReply:
      return message.readUInt32BE(4);
    case types.unreachable:
    case types.timeExceeded: {
      const quoted = icmpIn(message.subarray(echoBytes));
      return quoted?.readUInt8(0) === types.echoRequest ? quoted.readUInt32BE(4) : undefined;
    }
    default:
      return undefined;
  }
}

/** A packet's message of ICMP; undefined if it has none of eight bytes. */
function icmpIn(packet: Buffer): Buffer | undefined {
  if (packet.length < headerBytes + echoBytes) return undefined;
  const first = packet.readUInt8(0);
  if (first >> 4 !== 4 || packet.readUInt8(9) !== icmpProtocol) return undefined;
  const message = packet.subarray(4 * (first & 0x0f));
  return message.length < echoBytes ? undefined : message;
}
