import { z } from 'zod';
import { residentMemory } from '../bench/tunnel/idle.ts';
import { createHelperLab } from '../helper/support/helper-lab.ts';
import { addresses } from '../lab/network/addresses.ts';
import { startGapMeter } from '../lab/packets/gaps.ts';
import { endProcess, words } from '../lab/runs/process.ts';

/**
 * `node full-rate.ts SECONDS [openconnect]`: our own engine, or openconnect, carries as much as it can, both ways at
 * once, while the gateway renews its keys; beside that, a few datagrams and one TCP connection ask the echo every five
 * milliseconds. It fails if the engine's memory grows, if nothing comes back for longer than a person notices, or if
 * another engine takes its place. It wants the machine for itself.
 */
const seconds = Number(process.argv[2] ?? '600');
const kind = process.argv[3] === 'openconnect' ? 'openconnect' : 'own';
const rekeySeconds = 37;
const maxPauseMs = 50;
/** What memory may differ by between the first third and the last: pages that are given back late. */
const maxGrowthMb = 8;
const sampleMs = 2_000;

const report = z.object({
  end: z.object({
    sum_received: z.object({ bits_per_second: z.number() }),
    sum_received_bidir_reverse: z.object({ bits_per_second: z.number() }),
  }),
});

await using net = await createHelperLab({
  engine: kind,
  gateway: { rekey: { seconds: rekeySeconds, method: 'new-tunnel' } },
});
await net.start();
const client = await net.connect();
await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
const seen = client.states.length;
const before = await net.engines();
const [engine = 0] = before;
const server = await net.lab.internet.spawnUntil(words('iperf3 --server --forceflush'), /listening/i);
const meter = await startGapMeter(net.lab.user, 5);
const transfer = net.lab.user.exec(
  words(`iperf3 --json --bidir --client ${addresses.echo.ipv4} --time ${seconds}`),
  { timeout: 1_000 * (seconds + 120) },
);
const memory: number[] = [];
const sampling = setInterval(() => {
  residentMemory(engine).then(
    (size) => memory.push(size),
    // One that has ended is noticed below.
    () => undefined,
  );
}, sampleMs);
const { stdout } = await transfer;
clearInterval(sampling);
const gaps = await meter.end();
const after = await net.engines();
const interruptions = client.states.slice(seen).filter(({ state }) => state !== 'connected').length;
await endProcess(server, 'SIGKILL');
await client.call('disconnect', {});
const rekeys = net.log().match(/(?:CSTP|DTLS) rekey due|"new keys"/g)?.length ?? 0;

const { end } = report.parse(JSON.parse(stdout));
const speed = ({ bits_per_second: bits }: { bits_per_second: number }) => Math.round(bits / 1e6);
const mean = (sample: readonly number[]) => sample.reduce((sum, value) => sum + value, 0) / sample.length;
const third = Math.floor(memory.length / 3);
// What is compiled and kept comes in the first seconds, whatever else happens.
const first = mean(memory.slice(Math.min(5, third - 1), third));
const last = mean(memory.slice(-third));
const isSame = before.length === 1 && after.length === 1 && after[0] === engine;
const problems = [
  ...(isSame ? [] : ['another engine took its place']),
  ...(interruptions === 0 ? [] : ['the tunnel was interrupted']),
  ...(gaps.isTcpAlive ? [] : ['TCP broke']),
  ...(rekeys > 0 ? [] : ['there were no new keys']),
  ...(Math.max(gaps.udp, gaps.tcp) <= maxPauseMs ? [] : [`a pause of more than ${maxPauseMs} ms`]),
  ...(last - first <= maxGrowthMb ? [] : ['memory has grown']),
];
console.log(
  `${problems.length === 0 ? 'passed' : 'FAILED'}  both ways at full rate: ${speed(end.sum_received)} and ${speed(end.sum_received_bidir_reverse)} Mbit/s, ${rekeys} re-keys, longest silence ${gaps.udp} ms of datagrams and ${gaps.tcp} ms of TCP, ${gaps.lost} datagrams lost, memory ${first.toFixed(1)} MB, then ${last.toFixed(1)} MB${problems.map((problem) => `; ${problem}`).join('')}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
