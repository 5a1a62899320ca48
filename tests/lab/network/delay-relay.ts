import { writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import koffi from 'koffi';

/**
 * Runs inside a machine, `node delay-relay.ts DEVICE MILLISECONDS`: creates a TUN device and returns every packet that
 * is routed into it to the kernel after the delay. It relays packets, not connections, so that a handshake pays for
 * each of its round trips.
 */

/** linux/if_tun.h: `_IOW('T', 202, int)`, and a TUN device without the packet information header. */
const tunSetInterface = 0x400454ca;
const flags = 0x0001 | 0x1000;
/** struct ifreq: 16 bytes of name, then a union that begins with the flags; 40 bytes in total. */
const requestLength = 40;
const nameLength = 16;
/** The largest IP packet; the device's MTU limits what arrives. */
const packetLength = 65_535;

const [device = '', milliseconds = '0'] = process.argv.slice(2);

function createTun(file: FileHandle): void {
  const ioctl = koffi.load('libc.so.6').func('int ioctl(int fd, unsigned long request, uint8_t *argument)');
  const request = Buffer.alloc(requestLength);
  request.write(device, 0, nameLength - 1, 'latin1');
  request.writeUInt16LE(flags, nameLength);
  if (ioctl(file.fd, tunSetInterface, request) !== 0) {
    throw new Error(`no TUN device ${device}: error ${koffi.errno()}`);
  }
}

const file = await open('/dev/net/tun', 'r+');
createTun(file);
process.stdout.write('relaying\n');
for (;;) {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(packetLength), 0, packetLength, null);
  const packet = buffer.subarray(0, bytesRead);
  setTimeout(giveBack, Number(milliseconds), packet);
}

/** Synchronously and in order: writes in a thread pool's queue can overtake each other. */
function giveBack(packet: Buffer): void {
  try {
    writeSync(file.fd, packet);
  } catch {
    // A packet that the kernel refuses is lost, as on a real path.
  }
}
