import { execFileSync } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import koffi from 'koffi';
import { createArena } from '../../../helper/engine/own/data-path/arena.ts';
import { createCutter } from '../../../helper/engine/own/data-path/cutter.ts';
import { createJoiner } from '../../../helper/engine/own/data-path/joiner.ts';
import { virtioBytes } from '../../../helper/engine/own/data-path/virtio-header.ts';
import { openTunnelDevice } from '../../../helper/linux/routing/open-tunnel-device.ts';
import { largePacket, packet, type PacketShape } from '../../unit/helper/engine/support/packets.ts';
import { createRandom } from '../../unit/helper/engine/support/hostile-targets.ts';

/**
 * Runs in a network namespace of its own, `node kernel-segments.ts COUNT`: gives the same large packets to our cutter
 * and to the kernel, and what our joiner makes of segments to the kernel, which cuts it on its way to a device without
 * offload. Prints how many packets were compared, of each kind, as JSON; ends with an error at the first difference.
 */
const count = Number(process.argv[2] ?? '100');

const sh = (command: string) => void execFileSync('sh', ['-ec', command]);
const setUp = (name: string) => {
  sh(`ip tuntap add ${name} mode tun vnet_hdr`);
  const device = openTunnelDevice(name);
  device.attach(null);
  sh(`ip link set ${name} mtu 1500 up`);
  return device.inherited;
};
const near = setUp('near0');
const far = setUp('far0');
sh(`
  sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.conf.all.rp_filter=0
  sysctl -qw net.ipv4.conf.near0.rp_filter=0 net.ipv4.conf.far0.rp_filter=0
  ip addr add 192.0.2.254/24 dev near0
  ip addr add 203.0.113.1/32 dev far0
  ip route add 198.51.100.7/32 dev far0
  ip addr add 2001:db8:ffff::1/64 dev near0 nodad
  ip addr add 2001:db8:fffe::1/64 dev far0 nodad
  ip route add 2001:db8::/64 dev near0
  ip route add 2001:db8::7/128 dev far0
`);

/** Whether a packet comes within so long. */
const poll = koffi.load(null).func('int poll(uint8_t *, unsigned long, int)') as (
  descriptors: Buffer,
  count: number,
  milliseconds: number,
) => number;
function isReadable(descriptor: number, milliseconds: number): boolean {
  const set = Buffer.alloc(8);
  set.writeInt32LE(descriptor, 0);
  set.writeInt16LE(1, 4);
  return poll(set, 1, milliseconds) > 0;
}

const room = Buffer.alloc(70_000);
const limitMs = 5_000;

/** The next packet that comes out, which has nothing left to be done; what the kernel sends by itself is left out. */
function nextFromKernel(): Buffer {
  for (;;) {
    if (!isReadable(far, limitMs)) throw new Error('the kernel has sent nothing');
    const length = readSync(far, room);
    const bytes = Buffer.from(room.subarray(virtioBytes, length));
    const version = (bytes[0] ?? 0) >> 4;
    const destination = version === 4 ? bytes.subarray(16, 20) : bytes.subarray(24, 40);
    const isOurs = destination.toString('hex').endsWith(version === 4 ? 'c6336407' : '0007');
    if (!isOurs) continue;
    if ((room[1] ?? 0) !== 0) throw new Error('it has left it whole');
    return bytes;
  }
}

function expectSame(what: string, kernel: Buffer, own: Buffer | undefined): void {
  if (own?.equals(kernel) === true) return;
  throw new Error(`${what}: the kernel\n${kernel.toString('hex')}\nours\n${own?.toString('hex')}`);
}

function cut(given: Buffer): Buffer[] {
  const bytes = new Uint8Array(200_000);
  const cutter = createCutter(bytes, new DataView(bytes.buffer));
  bytes.set(given, 100_000);
  if (!cutter.begin(100_000, given.length)) throw new Error('our cutter refuses it');
  const made: Buffer[] = [];
  for (let length = cutter.next(0); length > 0; length = cutter.next(0))
    made.push(Buffer.from(bytes.subarray(0, length)));
  return made;
}

const random = createRandom(0x6e61);
const fill = (length: number) => Buffer.from(Array.from({ length }, () => random(256)));
const compared = { cutTcp: 0, cutUdp: 0, joined: 0 };

/** The kernel counts one hop. */
const hops = { kernel: 65, own: 64 };

function compareCutting(transport: 'tcp' | 'udp'): void {
  const size = 200 + random(1_200);
  const shape: PacketShape = {
    version: random(2) === 0 ? 4 : 6,
    transport,
    flow: 10 + random(200),
    payload: fill(size + 1 + random(transport === 'udp' ? 20 * size : 30_000)),
    sequence: random(2 ** 32),
    id: random(65_536),
    flags: [0x10, 0x18, 0x11, 0x90][random(4)] ?? 0x10,
    tcpOptions: Buffer.alloc(transport === 'tcp' ? 4 * random(4) : 0, 1),
  };
  writeSync(near, largePacket({ ...shape, hopLimit: hops.kernel }, size));
  for (const own of cut(largePacket({ ...shape, hopLimit: hops.own }, size))) {
    expectSame(`${transport} cut at ${size}`, nextFromKernel(), own);
    compared[transport === 'tcp' ? 'cutTcp' : 'cutUdp'] += 1;
  }
}

const arena = createArena(1_200_000);
const place = arena.take(2_000);
const joiner = createJoiner(arena, (at, length) => {
  writeSync(near, Buffer.from(arena.bytes.subarray(at, at + length)));
});

/** What is joined, and cut again by the kernel, is what has come. */
function compareJoining(): void {
  const size = 200 + random(1_200);
  const shape: PacketShape = {
    version: random(2) === 0 ? 4 : 6,
    transport: 'tcp',
    flow: 10 + random(200),
    payload: Buffer.alloc(0),
    tcpOptions: Buffer.alloc(4 * random(4), 1),
  };
  const segments: PacketShape[] = [];
  let sequence = random(2 ** 32);
  for (let left = 2 + random(20); left > 0; left -= 1) {
    const payload = fill(left === 1 ? 1 + random(size) : size);
    segments.push({ ...shape, payload, sequence: sequence >>> 0, flags: left === 1 ? 0x18 : 0x10 });
    sequence += payload.length;
  }
  for (const one of segments) {
    const bytes = packet({ ...one, hopLimit: hops.kernel });
    arena.bytes.set(bytes, place + virtioBytes);
    joiner.add(place + virtioBytes, bytes.length);
  }
  joiner.flush();
  for (const [index, one] of segments.entries()) {
    const kernel = nextFromKernel();
    // The packet's number means nothing where it is not cut further (RFC 6864 §4.1): the kernel counts, and we send
    // zeros.
    const own = packet({ ...one, hopLimit: hops.own, id: shape.version === 4 ? kernel.readUInt16BE(4) : 0 });
    expectSame(`segment ${index} of ${segments.length}, joined`, kernel, own);
    compared.joined += 1;
  }
}

for (let round = 0; round < count; round += 1) {
  compareCutting('tcp');
  compareCutting('udp');
  compareJoining();
}
process.stdout.write(`${JSON.stringify(compared)}\n`);
process.exit();
