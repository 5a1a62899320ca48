import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';
import { ports } from '../network/addresses.ts';

/**
 * Runs inside a machine, `node bound-stream.ts DEVICE|- MARKER MILLISECONDS ADDRESS…`: until it is killed, sends datagrams
 * from sockets that are bound to the device (SO_BINDTODEVICE, socket(7)), as ping -I and curl --interface do, or, with `-`, from ordinary ones. Each has
 * the marker and the time at which it was sent, by the machine's steady clock. Prints `sending` after the first round.
 */
const [device = '', marker = '', milliseconds = '', ...targets] = process.argv.slice(2);

/** Constants of <asm-generic/socket.h> and <bits/socket.h>, the same on all supported platforms. */
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
  const to = socketAddress(address, ports.echo);
  const descriptor = boundSocket(addressFamilyOf(address));
  return () => {
    const payload = Buffer.from(`${marker} ${performance.timeOrigin + performance.now()}\n`);
    // Where traffic is blocked, the kernel refuses it.
    libc.sendto(descriptor, payload, payload.length, MSG_DONTWAIT, to, to.length);
  };
});

function sendRound(): void {
  for (const send of senders) send();
}

sendRound();
process.stdout.write('sending\n');
setInterval(sendRound, Number(milliseconds));
