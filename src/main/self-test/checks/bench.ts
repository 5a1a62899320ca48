import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '#shared/control/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { Observer } from '../verdict.ts';
import type { Frame } from '../packets/frame.ts';
import { NotChecked } from './not-checked.ts';
import { makeProbes, pump, type Probe, type ProbeClass } from './probes.ts';
import type { Control, Found, Tried } from './sight.ts';
import type { Surroundings } from './surroundings.ts';
import { describeFrame, leaksIn, type Allowed, type UplinkWatch } from './uplink-watch.ts';

/** One of a self-test's checks: resolves with what is wrong, and what could not be seen. */
export interface Check {
  observers: readonly Observer[];
  run(): Promise<Found>;
}

/** What checks are made with. */
export interface Bench {
  readonly around: Surroundings;
  readonly client: ControlClient;
  /** The newest state that the core has told. */
  state(): TunnelState;
  /** Waits for a state; false if it does not come in time. */
  until(is: (state: TunnelState) => boolean, limitMs: number): Promise<boolean>;
  /** What has left by the uplink during `action`. Throws `NotChecked` if nobody could have seen all of it. */
  observe(action: () => Promise<void>): Promise<Frame[]>;
  /** What can be seen where it is allowed, or why that could not be tried. */
  readonly controls: Map<Control, readonly Tried[] | string>;
  /** Until when the whole may take, by `performance.now()`. */
  readonly deadline: number;
}

/** A text that is in nothing else. */
export const newToken = (): string => `st${randomBytes(9).toString('hex')}`;

export const gatewayOnly = ({ around }: Pick<Bench, 'around'>): Allowed => ({
  gateway: around.places.gateway,
  leases: around.isShared,
});

/** How long probes are sent where nothing may be seen, in milliseconds. */
const probingMs = 350;

/** All probes of these classes, for a moment. */
export async function sendProbes(
  { around }: Pick<Bench, 'around'>,
  kinds: readonly ProbeClass[],
  token: string,
): Promise<Probe[]> {
  const probes = kinds.flatMap((kind) => makeProbes(kind, token, around));
  const running = pump(probes);
  await delay(probingMs);
  running.end();
  return probes;
}

/** What probes of these classes let out, as words; all that is not allowed, whether or not it is a probe. */
export async function leaksOf(bench: Bench, kinds: readonly ProbeClass[]): Promise<string[]> {
  const frames = await bench.observe(async () => void (await sendProbes(bench, kinds, newToken())));
  return wordsFor(leaksIn(frames, gatewayOnly(bench)));
}

/** Each kind of frame once. */
export const wordsFor = (frames: readonly Frame[]): string[] => {
  const withoutSourcePort = (words: string) => words.replace(/ from (\S+) port \d+/, ' from $1');
  const found = [...new Set(frames.map((frame) => withoutSourcePort(describeFrame(frame))))];
  const shown = found.slice(0, maxWords).map((words) => `left the computer: ${words}`);
  return found.length > maxWords ? [...shown, `and ${found.length - maxWords} more`] : shown;
};

const maxWords = 12;

export const observeBy =
  (watch: UplinkWatch | undefined): Bench['observe'] =>
  async (action) => {
    if (!watch) throw new NotChecked('no-observer');
    await watch.sent();
    await action();
    const { frames, complete } = await watch.sent();
    if (!complete) throw new NotChecked('no-observer', ['some frames may not have been seen']);
    return frames;
  };
