import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exec, words } from '../lab/runs/process.ts';
import {
  dropUdp,
  rekeyingGateways,
  runSessionUnderTraffic,
  type SessionUnderTraffic,
} from '../helper/support/session-under-traffic.ts';

/**
 * `npm run soak [-- SECONDS]`: for ten minutes if nothing else is said, sessions under traffic, side by side and on
 * both engines, while gateways renew their keys, and beside them every call of the service with odd values, random
 * steps against a model of the tunnel, helpers that are killed at each step of their journal, and hostile input for our
 * own engine. Then, for as long again and with the machine for itself, our own engine both ways at full rate. Prints
 * the longest silence of each session, what it lost, and the seeds.
 */
const seconds = Number(process.argv[2] ?? '600');
/** With openconnect, TLS and DTLS meet for the first time after half an hour. */
const rekeySeconds = 37;
/** Our own engine always asks for a new tunnel, in which both get new keys at once. */
const ownRekeySeconds = 30;

interface Soak extends SessionUnderTraffic {
  name: string;
  /** The longest silence that is good enough, of datagrams, in milliseconds. */
  maxGapMs: number;
  /** Whether each datagram has to be answered. */
  losesNone?: boolean;
}

const soaks: Soak[] = [
  ...Object.entries(rekeyingGateways(rekeySeconds)).map(([name, gateway]) => ({
    name: `new keys ${name}, openconnect`,
    engine: 'openconnect' as const,
    gateway,
    seconds,
    maxGapMs: 2_000,
  })),
  ...Object.entries(rekeyingGateways(ownRekeySeconds)).map(([name, gateway]) => ({
    name: `new keys ${name}, our own engine`,
    engine: 'own' as const,
    gateway,
    seconds,
    maxGapMs: 1_000,
    losesNone: true,
  })),
  // Over and over, at another moment of a re-key each time; the engine is deaf for five seconds until it goes over to
  // TLS.
  ...(['ssl', 'new-tunnel'] as const).map((method) => ({
    name: `datagrams get lost while there are new keys, by ${method}`,
    gateway: { rekey: { seconds: rekeySeconds, method } },
    seconds,
    maxGapMs: 6_000,
    disturb: async (net: Parameters<typeof dropUdp>[0]) => {
      for (let left = seconds; left > 43; left -= 43) {
        await delay(31_000);
        await dropUdp(net, () => delay(12_000));
      }
    },
  })),
];

/** The service's fuzz, with a seed of its own each time. */
async function fuzz(): Promise<boolean> {
  const seed = process.env['FUZZ_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
  const { code, stdout, stderr } = await exec(
    words('vitest run --project service tests/service/abuse/fuzz.test.ts'),
    { env: { FUZZ_SECONDS: String(seconds), FUZZ_SEED: seed }, timeout: 1000 * (seconds + 600) },
  );
  const isGood = code === 0;
  console.log(`${isGood ? 'passed' : 'FAILED'}  odd values for every call of the service: FUZZ_SEED=${seed}`);
  if (!isGood) console.log(stdout + stderr);
  return isGood;
}

/** One of the programs beside this one that run until the time is over. */
async function beside(program: string): Promise<boolean> {
  const script = path.join(import.meta.dirname, program);
  const { code, stdout, stderr } = await exec([process.execPath, script, String(seconds)], {
    timeout: 1000 * (seconds + 600),
  });
  console.log(stdout + stderr);
  return code === 0;
}

const outcomes = await Promise.all([
  fuzz(),
  // Random steps against a model of the tunnel, with a seed of their own each time.
  beside('sequences/index.ts'),
  beside('journal-deaths.ts'),
  // What strangers may send to our own engine.
  beside('hostile-input.ts'),
  ...soaks.map(async ({ name, maxGapMs, losesNone, ...session }) => {
    try {
      const { gaps, interruptions, rekeys, events } = await runSessionUnderTraffic(session);
      const isGood =
        gaps.isTcpAlive &&
        interruptions.length === 0 &&
        gaps.udp <= maxGapMs &&
        rekeys > 0 &&
        (losesNone !== true || gaps.lost === 0);
      console.log(
        `${isGood ? 'passed' : 'FAILED'}  ${name}: ${rekeys} re-keys, longest silence ${gaps.udp} ms of datagrams, ${gaps.tcp} ms of TCP, ${gaps.lost} datagrams lost${gaps.isTcpAlive ? '' : ', which broke'}${interruptions.map((state) => `, ${state}`).join('')}`,
      );
      if (!isGood) console.log(events.join('\n'));
      return isGood;
    } catch (error) {
      console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }),
]);
outcomes.push(await beside('full-rate.ts'));
const failed = outcomes.filter((isGood) => !isGood).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
