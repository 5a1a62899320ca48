import { createSocket } from 'node:dgram';
import { read, writev } from 'node:fs';
import { openTunnelDevice } from '../../../helper/linux/routing/open-tunnel-device.ts';

/**
 * Run on a machine: `node tun-relay.ts DEVICE PORT`. Carries the packets of a TUN device to whoever last sent a
 * datagram to that port of 127.0.0.1, and the reverse: the driver that Wintun's double does not have.
 */
const [name = '', port = ''] = process.argv.slice(2);

/** In front of each packet of the device, where nothing is left to do with it. */
const header = Buffer.alloc(10);
const device = openTunnelDevice(name);
device.attach(null);
const socket = createSocket('udp4');
let asker: number | undefined;

socket.on('message', (packet, { port: from }) => {
  asker = from;
  if (packet.length > 0) writev(device.inherited, [header, packet], () => undefined);
});
socket.bind(Number(port), '127.0.0.1', () => {
  socket.setRecvBufferSize(4 * 1024 * 1024);
  console.log('ready');
});

const buffer = Buffer.alloc(header.length + 65_535);
function readNext(): void {
  read(device.inherited, buffer, 0, buffer.length, null, (error, length) => {
    if (error) throw error;
    if (asker !== undefined)
      socket.send(Buffer.from(buffer.subarray(header.length, length)), asker, '127.0.0.1');
    readNext();
  });
}
readNext();
