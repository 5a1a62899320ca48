import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { addresses, ports } from '../network/addresses.ts';

/**
 * Runs inside a machine, `node gap-meter.ts MILLISECONDS`: until SIGTERM, sends a datagram of 1,000 bytes, and a few
 * bytes on one TCP connection, to the echo at every interval. Prints `metering` when both have been answered, each
 * silence of more than a second as it ends, and at the end `Gaps` as JSON.
 */
export interface Gaps {
  /** The longest time between two answers, or between the last one and the end, in milliseconds. */
  readonly udp: number;
  readonly tcp: number;
  /** How many datagrams were not answered, of those that were sent a second or more before the end. */
  readonly lost: number;
  /** Whether it is still the same connection as at the beginning. */
  readonly isTcpAlive: boolean;
}

/** Shorter silences are not printed. */
const noteworthy = 1_000;

const every = Number(process.argv[2] ?? '20');
const payload = Buffer.alloc(1_000, 'x');
/** Datagrams in flight at the end are not counted as lost. */
const flightMs = 1_000;
/** When each datagram was sent whose answer has not come, by its number. */
const unanswered = new Map<number, number>();
let count = 0;
const longest = { udp: 0, tcp: 0 };
const last: { udp?: number; tcp?: number } = {};
let isTcpAlive = true;
let hasBegun = false;

function answered(protocol: 'udp' | 'tcp'): void {
  measure(protocol);
  last[protocol] = performance.now();
  if (hasBegun || last.udp === undefined || last.tcp === undefined) return;
  hasBegun = true;
  process.stdout.write('metering\n');
}

function measure(protocol: 'udp' | 'tcp'): void {
  const since = performance.now() - (last[protocol] ?? performance.now());
  longest[protocol] = Math.max(longest[protocol], since);
  if (since > noteworthy) process.stdout.write(`${protocol} silent ${Math.round(since)}\n`);
}

const udp = createSocket('udp4');
udp.on('message', (message) => {
  unanswered.delete(message.readUInt32BE(0));
  answered('udp');
});
// A blocked machine refuses to send, which counts as a gap.
udp.on('error', () => undefined);
const tcp = connect({ host: addresses.echo.ipv4, port: ports.echo, noDelay: true });
tcp.on('data', () => answered('tcp'));
tcp.on('error', () => undefined);
tcp.on('close', () => {
  isTcpAlive = false;
});

setInterval(() => {
  count += 1;
  payload.writeUInt32BE(count, 0);
  unanswered.set(count, performance.now());
  udp.send(Buffer.from(payload), ports.echo, addresses.echo.ipv4, () => undefined);
  if (isTcpAlive) tcp.write('still here?');
}, every);

process.on('SIGTERM', () => {
  for (const protocol of ['udp', 'tcp'] as const) measure(protocol);
  const until = performance.now() - flightMs;
  const lost = [...unanswered.values()].filter((sentAt) => sentAt < until).length;
  const gaps: Gaps = { udp: Math.round(longest.udp), tcp: Math.round(longest.tcp), lost, isTcpAlive };
  process.stdout.write(`${JSON.stringify(gaps)}\n`, () => process.exit());
});
