import { Socket } from 'node:net';

/**
 * Preloaded into a self-test: the clock by which it gives up goes so many times slower as SLOWER_CLOCK says. How long a
 * self-test takes at most is a promise to people, whose computer has nothing else to do; here, what it would not get to
 * is what is to be seen.
 */
const slower = Number(process.env['SLOWER_CLOCK'] ?? '1');
const now = performance.now.bind(performance);
performance.now = () => now() / slower;

/** Timers of at least that many milliseconds are limits, too; shorter ones are pauses. Some take whole ones only. */
const shortestLimitMs = 3_000;
const longer = (ms: number) => (ms >= shortestLimitMs ? Math.ceil(ms * slower) : ms);

const { setTimeout: start } = globalThis;
const startLonger = (act: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) =>
  start(act, longer(ms), ...values);
globalThis.setTimeout = Object.assign(startLonger, start) as typeof start;

const limit = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => limit(longer(ms));

const limitSilence = Reflect.get(Socket.prototype, 'setTimeout');
Socket.prototype.setTimeout = function (ms, ...act) {
  return limitSilence.call(this, longer(ms), ...act);
};
