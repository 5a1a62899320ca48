import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Place } from '../addresses.ts';

/** Nobody asks with more characters. */
const maxLine = 1024;
/** Anybody on the network can ask; a self-test does so some hundred times. */
const maxHeard = 10_000;

/**
 * A host that says by which way it was asked: one line by TCP, and a datagram for each. Resolves with what ends it;
 * rejects if it cannot listen. `heard` gets what it is asked.
 */
export async function serveHost(options: {
  host: string;
  port: number;
  echoPort: number;
  place: Place;
  heard: string[];
}): Promise<(() => void)[]> {
  const { host, port, echoPort, place, heard } = options;
  const hear = (text: string) => void (heard.length < maxHeard && heard.push(text));
  const server: Server = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => socket.destroy());
    let line = '';
    const take = (text: string) => {
      line += text;
      if (line.length > maxLine) socket.destroy();
      else if (line.includes('\n')) {
        hear(line.trim());
        socket.off('data', take);
        // Whatever follows is not kept.
        socket.resume();
        socket.end(`${place} ${socket.remoteAddress ?? ''}\n`);
      }
    };
    socket.on('data', take);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (datagram, { address, port: from }) => {
    if (datagram.length > maxLine) return;
    hear(datagram.toString());
    socket.send(`${place} ${datagram.toString()}`, from, address);
  });
  socket.bind(echoPort, host);
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  return [() => server.close(), () => socket.close()];
}
