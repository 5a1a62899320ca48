import { createCipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Run inside a machine: `node hashed-stream.ts serve ADDRESS PORT` answers each stream of bytes with the SHA-256 of
 * what has come, and then with as many other bytes. `node hashed-stream.ts send ADDRESS PORT BYTES` sends such a
 * stream, and ends well if both ends have got what the other one sent.
 */
const [role = '', address = '', port = '', count = '0'] = process.argv.slice(2);

const hashBytes = 32;
const blockBytes = 64 * 1024;

/** Bytes that both ends know, and that no two parts of are alike. */
function* stream(direction: 'up' | 'down', length: number): Generator<Buffer> {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, direction), Buffer.alloc(16));
  for (let left = length; left > 0; left -= blockBytes)
    yield cipher.update(Buffer.alloc(Math.min(left, blockBytes)));
}

function hashOf(direction: 'up' | 'down', length: number): Buffer {
  const hash = createHash('sha256');
  for (const block of stream(direction, length)) hash.update(block);
  return hash.digest();
}

async function write(socket: NodeJS.WritableStream, blocks: Iterable<Buffer>): Promise<void> {
  for (const block of blocks) if (!socket.write(block)) await once(socket, 'drain');
  socket.end();
}

if (role === 'serve') {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const hash = createHash('sha256');
    let length = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      hash.update(bytes);
      length += bytes.length;
    });
    socket.on('end', () => {
      socket.write(hash.digest());
      void write(socket, stream('down', length));
    });
  });
  server.listen(Number(port), address, () => console.log('ready'));
} else {
  const length = Number(count);
  const socket = connect({ host: address, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  const received: Buffer[] = [];
  socket.on('data', (bytes) => received.push(bytes));
  const ended = once(socket, 'end');
  await write(socket, stream('up', length));
  await ended;
  const all = Buffer.concat(received);
  const told = all.subarray(0, hashBytes);
  if (told.length !== hashBytes || !timingSafeEqual(told, hashOf('up', length)))
    throw new Error('other bytes arrived');
  const down = createHash('sha256').update(all.subarray(hashBytes)).digest();
  if (all.length !== hashBytes + length || !timingSafeEqual(down, hashOf('down', length)))
    throw new Error(`other bytes came back: ${all.length} of ${hashBytes + length}`);
  console.log('the same');
}
