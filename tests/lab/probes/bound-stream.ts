import { isIPv6 } from 'node:net';
import koffi from 'koffi';
import { ports } from '../network/addresses.ts';

/**
 * Runs inside a machine, `node bound-stream.ts DEVICE|- MARKER MILLISECONDS ADDRESS…`: until it is killed, sends datagrams
 * from sockets that are bound to the device (SO_BINDTODEVICE, socket(7)), as ping -I and curl --interface do, or, with `-`, from ordinary ones. Each has
 * the marker and the time at which it was sent, by the machine's steady clock. Prints `sending` after the first round.
 */
const [device = '', marker = '', milliseconds = '', ...targets] = process.argv.slice(2);

/** Constants of <asm-generic/socket.h> and <bits/socket.h>, the same on all supported platforms. */
const family = { ipv4: 2, ipv6: 10 } as const;
const SOCK_DGRAM = 2;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;
const MSG_DONTWAIT = 0x40;

const library = koffi.load(null);
const libc = {
  socket: library.func('int socket(int, int, int)') as (...numbers: number[]) => number,
  setsockopt: library.func('int setsockopt(int, int, int, const char *, uint32_t)') as (
    ...parts: [number, number, number, string, number]
  ) => number,
  pton: library.func('int inet_pton(int, const char *, _Out_ void *)') as (
    ...parts: [number, string, Buffer]
  ) => number,
  sendto: library.func('int64_t sendto(int, const void *, size_t, int, const void *, uint32_t)') as (
    ...parts: [number, Buffer, number, number, Buffer, number]
  ) => number,
};

function boundSocket(domain: number): number {
  const descriptor = libc.socket(domain, SOCK_DGRAM, 0);
  if (device !== '-' && libc.setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, device, device.length) !== 0)
    throw new Error(`no socket could be bound to ${device}: errno ${koffi.errno()}`);
  return descriptor;
}

const senders = targets.map((address) => {
  const is6 = isIPv6(address);
  const domain = is6 ? family.ipv6 : family.ipv4;
  // struct sockaddr_in and sockaddr_in6: in IPv6, the address comes after the flow label.
  const bytes = Buffer.alloc(is6 ? 28 : 16);
  bytes.writeUInt16LE(domain, 0);
  bytes.writeUInt16BE(ports.echo, 2);
  if (libc.pton(domain, address, bytes.subarray(is6 ? 8 : 4)) !== 1) throw new Error('not an address');
  const descriptor = boundSocket(domain);
  return () => {
    const payload = Buffer.from(`${marker} ${performance.timeOrigin + performance.now()}\n`);
    // Where traffic is blocked, the kernel refuses it.
    libc.sendto(descriptor, payload, payload.length, MSG_DONTWAIT, bytes, bytes.length);
  };
});

function sendRound(): void {
  for (const send of senders) send();
}

sendRound();
process.stdout.write('sending\n');
setInterval(sendRound, Number(milliseconds));
