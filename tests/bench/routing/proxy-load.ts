import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * `node proxy-load.ts source PORT`: sends without end to whoever has sent a byte `d`, and one byte to others. Prints
 * `ready`.
 *
 * `node proxy-load.ts downloads|exchanges SOCKS-PORT ADDRESS PORT CONNECTIONS SECONDS`: what a proxy gives to so many
 * connections at a time, for at most so long. Prints it as JSON, see `Downloads` and `Exchanges`.
 */

export interface Downloads {
  bytes: number;
  seconds: number;
  /** When each connection that got anything got its first byte, in ms from the beginning, sorted. */
  firstBytes: number[];
}

export interface Exchanges {
  /** Connections that were opened, answered and closed. */
  done: number;
  seconds: number;
}

const [kind = '', ...numbers] = process.argv.slice(2);
if (kind === 'source') serveSource(Number(numbers[0]));
else {
  const [socksPort, address = '', port, connections, seconds] = numbers;
  const target = { socksPort: Number(socksPort), address, port: Number(port) };
  const load = kind === 'downloads' ? download : exchange;
  console.log(JSON.stringify(await load(target, Number(connections), Number(seconds))));
  process.exit(0);
}

interface Target {
  socksPort: number;
  /** Of IPv4. */
  address: string;
  port: number;
}

function serveSource(port: number): void {
  const piece = Buffer.alloc(64 * 1024);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (asked: Buffer) => {
      if (asked[0] !== 'd'.charCodeAt(0)) {
        socket.end('1');
        return;
      }
      // One piece at a time, so that all get the same.
      const send = () => void (socket.destroyed || socket.write(piece, () => setImmediate(send)));
      send();
    });
  });
  server.listen({ port, backlog: 1024 }, () => console.log('ready'));
}

/** Speaks SOCKS 5 (RFC 1928), and sends `asked` through it; `onBytes` gets how many bytes come back at a time. */
function openThrough(
  { socksPort, address, port }: Target,
  asked: string,
  onBytes: (count: number) => void,
): Socket {
  let rest = 2 + 10;
  let isGreeted = false;
  const socket = connect({
    port: socksPort,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.alloc(64 * 1024),
      callback(count) {
        const ofProxy = Math.min(rest, count);
        rest -= ofProxy;
        if (!isGreeted && rest <= 10) {
          isGreeted = true;
          const destination = [...address.split('.').map(Number), port >> 8, port & 255];
          socket.write(Buffer.from([5, 1, 0, 1, ...destination]));
        }
        if (ofProxy > 0 && rest === 0) socket.write(asked);
        if (count > ofProxy) onBytes(count - ofProxy);
        return true;
      },
    },
  });
  socket.on('error', () => undefined);
  socket.once('connect', () => void socket.write(Buffer.from([5, 1, 0])));
  return socket;
}

async function download(target: Target, connections: number, seconds: number): Promise<Downloads> {
  const begun = performance.now();
  const result: Downloads = { bytes: 0, seconds, firstBytes: [] };
  const sockets = Array.from({ length: connections }, () => {
    let isFirst = true;
    return openThrough(target, 'd', (count) => {
      result.bytes += count;
      if (isFirst) result.firstBytes.push(Math.round(performance.now() - begun));
      isFirst = false;
    });
  });
  await delay(seconds * 1000);
  for (const socket of sockets) socket.destroy();
  return { ...result, seconds: (performance.now() - begun) / 1000 };
}

async function exchange(target: Target, connections: number, seconds: number): Promise<Exchanges> {
  const begun = performance.now();
  let done = 0;
  const isOver = () => performance.now() - begun >= seconds * 1000;
  async function oneAfterTheOther(): Promise<void> {
    while (!isOver()) {
      let answered = 0;
      const socket = openThrough(target, 'x', (count) => (answered += count));
      socket.resume();
      await once(socket, 'close');
      done += answered;
    }
  }
  await Promise.all(Array.from({ length: connections }, oneAfterTheOther));
  return { done, seconds: (performance.now() - begun) / 1000 };
}
