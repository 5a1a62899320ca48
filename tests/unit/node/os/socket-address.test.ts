import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { socketAddress } from '#node/os/linux/socket-address.ts';
import { connectTcpAs } from '../../../../helper/linux/programs/tcp-socket-as.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test.each([
  ['192.0.2.7', 443, `0200 01bb c0000207 ${'00'.repeat(8)}`],
  ['2001:db8::1:7', 4433, `0a00 1151 00000000 20010db8000000000000000000010007 00000000`],
  ['::ffff:192.0.2.7', 0, `0a00 0000 00000000 00000000000000000000ffffc0000207 00000000`],
])('%s, port %i, is the structure of <netinet/in.h>', (address, port, expected) => {
  expect(socketAddress(address, port).toString('hex')).toBe(expected.replaceAll(' ', ''));
});

test.each(['', 'localhost', '192.0.2', '0x7f.1', '192.0.2.7:443', '[::1]', '192.0.2.0/24'])(
  '%j is no address',
  (text) => {
    expect(() => socketAddress(text, 443)).toThrow('not an address');
  },
);

test.skipIf(process.platform !== 'linux').each(['127.0.0.1', '::1'])(
  'the kernel reads it as %s',
  async (address) => {
    const server = createServer((socket) => socket.end('reached')).listen(0, address);
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connectTcpAs(process.geteuid?.() ?? 0, { address, port });
    const [received] = (await once(socket, 'data')) as [Buffer];
    expect(received.toString()).toBe('reached');
    expect([socket.remoteAddress, socket.remotePort]).toEqual([address, port]);
    socket.end();
    await once(socket, 'close');
  },
);
