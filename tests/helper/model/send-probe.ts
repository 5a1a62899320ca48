import { closeSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import koffi from 'koffi';
import { addressFamilyOf, socketAddress } from '#node/os/linux/socket-address.ts';
import type { Probe } from '../../lab/linux/model/recorded-call.ts';

/** Constants of <bits/socket.h> and <asm-generic/socket.h>. */
const types = { tcp: 1, udp: 2 } as const;
const SOCK_NONBLOCK = 0o4000;
const SOL_SOCKET = 1;
const SO_BINDTODEVICE = 25;

type Call = (...given: unknown[]) => number;
let loaded: Record<'socket' | 'bind' | 'connect' | 'send' | 'setOption' | 'setfsuid', Call> | undefined;

function libc() {
  const library = koffi.load(null);
  const declared = (text: string) => library.func(text) as unknown as Call;
  return (loaded ??= {
    socket: declared('int socket(int, int, int)'),
    bind: declared('int bind(int, const void *, uint32_t)'),
    connect: declared('int connect(int, const void *, uint32_t)'),
    send: declared('long send(int, const void *, size_t, int)'),
    setOption: declared('int setsockopt(int, int, int, const void *, uint32_t)'),
    setfsuid: declared('int setfsuid(uint32_t)'),
  });
}

/** Sends the first packet of a program, from this port; what becomes of it, others see. */
export function sendProbe(
  { destination, protocol, destinationPort, user, source, device }: Probe,
  port: number,
) {
  const { socket, bind, connect, send, setOption, setfsuid } = libc();
  // Packet filter and rules know a socket's user by the file system uid of whoever makes it.
  setfsuid(user);
  const descriptor = socket(addressFamilyOf(destination), types[protocol] | SOCK_NONBLOCK, 0);
  setfsuid(0);
  if (descriptor < 0) throw new Error(`no socket: errno ${koffi.errno()}`);
  try {
    if (device !== undefined) {
      const name = Buffer.from(`${device}\0`);
      if (setOption(descriptor, SOL_SOCKET, SO_BINDTODEVICE, name, name.length) !== 0)
        throw new Error(`not bound to ${device}: errno ${koffi.errno()}`);
    }
    const own = socketAddress(source ?? (isIPv6(destination) ? '::' : '0.0.0.0'), port);
    // Not an address of this machine.
    if (bind(descriptor, own, own.length) !== 0) return;
    const peer = socketAddress(destination, destinationPort);
    connect(descriptor, peer, peer.length);
    if (protocol === 'udp') send(descriptor, Buffer.from('probe'), 5, 0);
  } finally {
    closeSync(descriptor);
  }
}
