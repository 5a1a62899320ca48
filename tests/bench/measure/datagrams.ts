import { createSocket } from 'node:dgram';

/**
 * Run inside a machine. `node datagrams.ts send ADDRESS …`: sends a number to port 9 of each address every two
 * milliseconds, until it is told to end by SIGTERM; then prints how many it has sent to the first. `node datagrams.ts
 * receive ADDRESS …`: prints for each that comes from whom, to which address, the number, and when.
 */
const [role = '', ...addresses] = process.argv.slice(2);
const discardPort = 9;
const everyMs = 2;

if (role === 'send') {
  const socket = createSocket('udp4');
  // Where nothing may leave, that is no end.
  socket.on('error', () => undefined);
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    for (const address of addresses) socket.send(String(count), discardPort, address, () => undefined);
  }, everyMs);
  process.on('SIGTERM', () => {
    clearInterval(timer);
    process.stdout.write(`${count}\n`, () => process.exit());
  });
} else {
  for (const address of addresses) {
    const socket = createSocket('udp4');
    socket.on('message', (message, peer) => {
      const at = performance.timeOrigin + performance.now();
      process.stdout.write(`${peer.address} ${address} ${message.toString()} ${at}\n`);
    });
    socket.bind(discardPort, address);
  }
}
process.stdout.write('ready\n');
