import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { protocol } from '../packets/frame.ts';
import type { Computer } from '../checks/surroundings.ts';

export interface PortableProbesOptions {
  /** The uplink's own addresses, which bound sockets have. */
  addresses: { ipv4: string | undefined; ipv6: string | undefined };
  /** Binds a socket to the uplink itself, where the system has that; throws if it refuses. */
  bindToDevice?: (socket: DatagramSocket, isIpv6: boolean) => void;
  /** The arguments of ping(8) for one request, and the program for an IP version. */
  ping: (host: string, source: string | undefined) => readonly [program: string, args: readonly string[]];
}

/**
 * What programs send, by Node's sockets and the system's ping: for systems whose own calls it is not worth to know. A
 * ping has what the system puts into it, and its socket is bound to an address only.
 */
export function portableProbes(
  options: PortableProbesOptions,
): Pick<Computer, 'datagrams' | 'connections' | 'pings'> {
  const sourceOf = (host: string, isBound: boolean) =>
    isBound ? (isIPv6(host) ? options.addresses.ipv6 : options.addresses.ipv4) : undefined;
  return {
    datagrams({ host, port, bytes, isBound }) {
      const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
      let isReady = false;
      // What is refused is a result like any other.
      socket.on('error', () => undefined);
      const address = sourceOf(host, isBound);
      socket.bind({ port: 0, ...(address !== undefined && { address }) }, () => {
        if (isBound) options.bindToDevice?.(socket, isIPv6(host));
        isReady = true;
      });
      return {
        send() {
          if (isReady) socket.send(bytes, port, host, () => undefined);
          else socket.once('listening', () => socket.send(bytes, port, host, () => undefined));
          return true;
        },
        close: () => socket.close(),
      };
    },
    connections({ host, port, isBound }) {
      const sockets: Socket[] = [];
      return {
        send() {
          const localAddress = sourceOf(host, isBound);
          const socket = connect({ host, port, ...(localAddress !== undefined && { localAddress }) });
          socket.on('error', () => socket.destroy());
          sockets.push(socket);
          return true;
        },
        close() {
          for (const socket of sockets.splice(0)) socket.destroy();
        },
      };
    },
    pings({ host, isBound }) {
      const kind = isIPv6(host) ? protocol.icmpv6 : protocol.icmp;
      const request = isIPv6(host) ? 128 : 8;
      const [program, args] = options.ping(host, sourceOf(host, isBound));
      let running: ChildProcess | undefined;
      let isAnswered = false;
      return {
        send() {
          // One at a time: each waits for its answer for a while.
          if (running) return true;
          const child = spawn(program, args, { stdio: 'ignore', windowsHide: true });
          running = child;
          child.once('error', () => (running = undefined));
          child.once('exit', (code) => {
            if (code === 0) isAnswered = true;
            if (running === child) running = undefined;
          });
          return true;
        },
        isAnswered: () => isAnswered,
        isIn: (packet) => packet.protocol === kind && packet.payload[0] === request,
        close: () => void running?.kill('SIGKILL'),
      };
    },
  };
}
