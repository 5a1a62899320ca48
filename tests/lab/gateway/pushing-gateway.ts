import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, type TLSSocket } from 'node:tls';
import type { PushingGateway } from './hostile-gateway.ts';

/**
 * Runs inside a machine, `node pushing-gateway.ts JSON`: accepts every cookie, and answers CONNECT with the headers
 * that are in a file at that time (draft-mavrogiannopoulos-openconnect-04 §2.2), or never if it is empty; a status line
 * before them takes the place of 200. It only records the tunnel's packets. SIGUSR1 makes it send the packets in another file, SIGUSR2 close every connection, with
 * the content of one more file as its last words, if there is any.
 */
const { certificate, key, clientAuthority, address, port, headers, packets, outgoing, asked, goodbye } =
  JSON.parse(process.argv[2] ?? '') as PushingGateway;

/** CSTP's packet types, and the length of its header: "STF", 1, the length in two bytes, the type, 0. */
const type = { data: 0, probe: 3, probeAnswer: 4 } as const;
const headerLength = 8;

const sockets = new Set<TLSSocket>();

const demanded =
  clientAuthority === undefined
    ? {}
    : { ca: readFileSync(clientAuthority), requestCert: true, rejectUnauthorized: true };
const identity = { cert: readFileSync(certificate), key: readFileSync(key), ...demanded };

const server = createServer(identity, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  let isConnected = false;
  sockets.add(socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (!isConnected) {
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.toString('latin1', 0, end);
      isConnected = head.startsWith('CONNECT ');
      if (isConnected) appendFileSync(asked, `${head}\r\n\r\n`);
      received = received.subarray(end + 4);
      if (!isConnected) {
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const pushed = readFileSync(headers, 'utf8');
      const status = pushed.startsWith('HTTP/') ? '' : 'HTTP/1.1 200 CONNECTED\r\n';
      if (pushed !== '') socket.write(`${status}${pushed}\r\n`);
    }
    received = takePackets(socket, received);
  });
});

function takePackets(socket: TLSSocket, received: Buffer): Buffer {
  let rest = received;
  while (rest.length >= headerLength && rest.length >= headerLength + rest.readUInt16BE(4)) {
    const end = headerLength + rest.readUInt16BE(4);
    const packet = rest.subarray(headerLength, end);
    switch (rest.readUInt8(6)) {
      case type.data:
        appendFileSync(packets, `${packet.toString('hex')}\n`);
        break;
      case type.probe:
        socket.write(frame(type.probeAnswer, packet));
        break;
      default:
    }
    rest = rest.subarray(end);
  }
  return rest;
}

function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.from('STF\x01\0\0\0\0', 'latin1');
  head.writeUInt16BE(content.length, 4);
  head.writeUInt8(kind, 6);
  return Buffer.concat([head, content]);
}

process.on('SIGUSR1', () => {
  for (const line of readFileSync(outgoing, 'utf8').split('\n').filter(Boolean)) {
    for (const socket of sockets) socket.write(frame(type.data, Buffer.from(line, 'hex')));
  }
  process.stdout.write('sent\n');
});

process.on('SIGUSR2', () => {
  const [kind, ...words] = readFileSync(goodbye);
  const last = kind === undefined ? Buffer.alloc(0) : frame(kind, Buffer.from(words));
  for (const socket of sockets) socket.end(last);
});

server.listen(port, address, () => process.stdout.write('listening\n'));
