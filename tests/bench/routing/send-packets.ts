import koffi from 'koffi';

/**
 * Run inside a machine, `node send-packets.ts ADDRESS COUNT`: sends datagrams on one connected socket, and prints how
 * many nanoseconds of the processor each took, up to the other end of the wire.
 */
const [address = '', count = '0'] = process.argv.slice(2);

/** Of <bits/socket.h>, and the port of RFC 863. */
const AF_INET = 2;
const SOCK_DGRAM = 2;
const discardPort = 9;

const libc = koffi.load(null);
const openSocket = libc.func('int socket(int, int, int)');
const connectTo = libc.func('int connect(int, const void *, uint32_t)');
const send = libc.func('intptr_t send(int, const void *, size_t, int)');

const socketAddress = Buffer.alloc(16);
socketAddress.writeUInt16LE(AF_INET, 0);
socketAddress.writeUInt16BE(discardPort, 2);
Buffer.from(address.split('.').map(Number)).copy(socketAddress, 4);

const descriptor = Number(openSocket(AF_INET, SOCK_DGRAM, 0));
if (Number(connectTo(descriptor, socketAddress, socketAddress.length)) !== 0)
  throw new Error('no connection');
const payload = Buffer.alloc(64);
const sendAll = (times: number) => {
  let sent = 0;
  for (let index = 0; index < times; index += 1)
    if (Number(send(descriptor, payload, payload.length, 0)) > 0) sent += 1;
  return sent;
};
// Compiled by then; and of those that nobody takes some are refused by an ICMP message.
sendAll(20_000);
const before = process.cpuUsage();
const sent = sendAll(Number(count));
const { user, system } = process.cpuUsage(before);
if (sent < 0.9 * Number(count)) throw new Error(`only ${sent} of ${count} packets were sent`);
console.log(((user + system) * 1000) / sent);
