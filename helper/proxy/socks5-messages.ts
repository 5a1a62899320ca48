import { readHost, type Destination } from './destination.ts';
import type { OpenFailure } from './open-destination.ts';

/** The messages of SOCKS 5 (RFC 1928), as far as a connecting client needs them. */

export const socksVersion = 5;

/** What `bytes` begins with: an incomplete message, or a value in its first `length` bytes. */
export type Parsed<Value> = { state: 'incomplete' } | { state: 'complete'; length: number; value: Value };

const incomplete = { state: 'incomplete' } as const;

/** §3: version, number of methods, methods. Whether the client accepts no authentication; undefined: not SOCKS 5. */
export function parseGreeting(bytes: Buffer): Parsed<'no-authentication' | 'other-methods' | undefined> {
  if (bytes.length >= 1 && bytes[0] !== socksVersion) {
    return { state: 'complete', length: 1, value: undefined };
  }
  const length = 2 + (bytes[1] ?? 0);
  if (bytes.length < 2 || bytes.length < length) return incomplete;
  const offers = bytes.subarray(2, length).includes(method.noAuthentication);
  return { state: 'complete', length, value: offers ? 'no-authentication' : 'other-methods' };
}

const method = { noAuthentication: 0, noneAcceptable: 0xff } as const;

export const greetingAnswer = {
  'no-authentication': Buffer.from([socksVersion, method.noAuthentication]),
  'other-methods': Buffer.from([socksVersion, method.noneAcceptable]),
} as const;

/** A client's request: the destination, or the reply to a request that is not supported. */
export type SocksRequest = { destination: Destination } | { reply: number };

/** §6; the other codes depend on what went wrong at the destination. */
export const socksReply = {
  succeeded: 0,
  failed: 1,
  commandNotSupported: 7,
  addressTypeNotSupported: 8,
} as const;

export const replyOfFailure: Readonly<Record<OpenFailure, number>> = {
  forbidden: 2,
  'network-unreachable': 3,
  'host-unreachable': 4,
  'name-not-found': 4,
  'timed-out': 4,
  'connection-refused': 5,
  failed: socksReply.failed,
};

const command = { connect: 1 } as const;
const addressType = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Bytes before the address: version, command, a reserved one, address type. */
const headLength = 4;
const portLength = 2;

/** §4: a request; the result may be known before all of it has arrived. */
export function parseRequest(bytes: Buffer): Parsed<SocksRequest> {
  const refuse = (reply: number) => ({ state: 'complete' as const, length: bytes.length, value: { reply } });
  if (bytes.length >= 1 && bytes[0] !== socksVersion) return refuse(socksReply.failed);
  if (bytes.length < headLength + 1) return incomplete;
  if (bytes[1] !== command.connect) return refuse(socksReply.commandNotSupported);
  const at = addressPlace(bytes);
  if (at === undefined) return refuse(socksReply.addressTypeNotSupported);
  const length = at.end + portLength;
  if (bytes.length < length) return incomplete;
  const host = readHost(addressText(bytes.subarray(at.start, at.end), bytes[3]));
  if (host === undefined)
    return { state: 'complete', length, value: { reply: replyOfFailure['name-not-found'] } };
  const destination = { host, port: bytes.readUInt16BE(at.end) };
  return { state: 'complete', length, value: { destination } };
}

function addressPlace(bytes: Buffer): { start: number; end: number } | undefined {
  const type = bytes[3];
  if (type === addressType.ipv4) return { start: headLength, end: headLength + 4 };
  if (type === addressType.ipv6) return { start: headLength, end: headLength + 16 };
  if (type !== addressType.name) return undefined;
  return { start: headLength + 1, end: headLength + 1 + (bytes[headLength] ?? 0) };
}

function addressText(bytes: Buffer, type: number | undefined): string {
  if (type === addressType.name) return bytes.toString('utf8');
  if (type === addressType.ipv4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16)).join(':');
}

/** A reply without the bound address, which a connecting client does not need. */
export function encodeReply(reply: number): Buffer {
  return Buffer.from([socksVersion, reply, 0, addressType.ipv4, 0, 0, 0, 0, 0, 0]);
}
