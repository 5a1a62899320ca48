import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Place } from '../addresses.ts';

/** Nobody asks with more characters. */
const maxLine = 1024;

/**
 * A host that says by which way it was asked: one line by TCP, and a datagram for each. Resolves with what ends it; rejects
 * if it cannot listen. `heard` gets what it is asked.
 */
export async function serveHost(options: {
  host: string;
  port: number;
  echoPort: number;
  place: Place;
  heard: string[];
}): Promise<(() => void)[]> {
  const { host, port, echoPort, place, heard } = options;
  const server: Server = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => socket.destroy());
    let line = '';
    socket.on('data', (text: string) => {
      line += text;
      if (line.includes('\n')) {
        heard.push(line.trim());
        socket.end(`${place} ${socket.remoteAddress ?? ''}\n`);
      } else if (line.length > maxLine) socket.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (datagram, { address, port: from }) => {
    heard.push(datagram.toString());
    socket.send(`${place} ${datagram.toString()}`, from, address);
  });
  socket.bind(echoPort, host);
  await once(socket, 'listening');
  socket.on('error', () => undefined);
  return [() => server.close(), () => socket.close()];
}
