import { createSocket, type Socket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import dnsPacket from 'dns-packet';
import { addresses, names, ports } from '../network/addresses.ts';

/**
 * Runs inside a machine, `node probe-stream.ts MARKER MILLISECONDS`: until it is killed, sends what a busy machine
 * would at every interval, always with the marker: datagrams to the echo over both IP versions, queries to both
 * resolvers that it might know and, less often, connections to the echo. Prints `sending` after the first round.
 */
const [marker = '', milliseconds = '10'] = process.argv.slice(2);

const udp4 = createSocket('udp4');
const udp6 = createSocket('udp6');
// On a blocked machine there is no route, or sending is not allowed.
const ignore = () => {};
for (const socket of [udp4, udp6]) socket.on('error', ignore);

function query(type: 'A' | 'AAAA'): Buffer {
  const questions = [{ type, name: `${marker}.${names.probes}` }];
  return dnsPacket.encode({ type: 'query', id: 1, flags: dnsPacket.RECURSION_DESIRED, questions });
}

function tryConnect(host: string): void {
  const socket = connect({ host, port: ports.echo });
  socket.on('error', ignore);
  socket.on('connect', () => socket.end(marker));
  socket.setTimeout(1000, () => socket.destroy());
}

function send(socket: Socket, message: string | Buffer, port: number, address: string): Promise<void> {
  return new Promise((resolve) => socket.send(message, port, address, () => resolve()));
}

function connectToEach(): void {
  tryConnect(addresses.echo.ipv4);
  tryConnect(addresses.echo.ipv6);
}

/** Resolves when all datagrams have been accepted or refused by the kernel. */
async function sendDatagrams(): Promise<void> {
  await Promise.all([
    send(udp4, marker, ports.echo, addresses.echo.ipv4),
    send(udp6, marker, ports.echo, addresses.echo.ipv6),
    send(udp4, query('A'), ports.dns, addresses.resolver.ipv4),
    send(udp6, query('AAAA'), ports.dns, addresses.resolver.ipv6),
    send(udp4, query('A'), ports.dns, addresses.inside.ipv4),
  ]);
}

/** Sends to each once; resolves when all datagrams have been accepted or refused by the kernel. */
export async function sendRound(): Promise<void> {
  connectToEach();
  await sendDatagrams();
}

/** A connection costs all on its way as much as ten datagrams, and goes the same way. */
const connectMs = 50;

async function sendOn(): Promise<void> {
  let connected = performance.now();
  for (;;) {
    const begun = performance.now();
    if (begun - connected >= connectMs) {
      connectToEach();
      connected = begun;
    }
    await sendDatagrams();
    // On a busy machine, what answers and what carries needs a part of the processor as well.
    await delay(Math.max(Number(milliseconds), performance.now() - begun));
  }
}

await sendRound();
process.stdout.write('sending\n');
void sendOn();
