import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '#shared/control/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { addresses, ports } from '../addresses.ts';
import type { Observer, Unchecked } from '../verdict.ts';
import type { Frame } from '../packets/frame.ts';
import { makeProbes, pump, type Probe, type ProbeClass } from './probes.ts';
import { describeFrame, leaksIn, type Allowed } from './uplink-watch.ts';
import type { World } from '../linux/world.ts';

/** A check about which nothing can be said. */
export class NotChecked extends Error {
  override name = 'NotChecked';
  readonly why: Unchecked;
  readonly details: readonly string[];

  constructor(why: Unchecked, details: readonly string[] = []) {
    super(why);
    this.why = why;
    this.details = details;
  }
}

/** One of a self-test's checks: resolves with what is wrong. */
export interface Check {
  observers: readonly Observer[];
  run(): Promise<string[]>;
}

/** What checks are made with. */
export interface Bench {
  readonly world: World;
  readonly client: ControlClient;
  /** The newest state that the core has told. */
  state(): TunnelState;
  /** Waits for a state; false if it does not come in time. */
  until(is: (state: TunnelState) => boolean, limitMs: number): Promise<boolean>;
  /** What has left by the uplink during `action`. Throws `NotChecked` if nobody could have seen all of it. */
  observe(action: () => Promise<void>): Promise<Frame[]>;
  /** Whether each of these probes can be seen where it is allowed, as the names of those that cannot. */
  readonly controls: Map<Control, readonly string[]>;
  /** Until when the whole may take, by `performance.now()`. */
  readonly deadline: number;
}

/** What has its own positive control. */
export type Control = ProbeClass | 'others-routes' | 'neighbours';

/** A text that is in nothing else. */
export const newToken = (): string => `st${randomBytes(9).toString('hex')}`;

export const gatewayOnly: Allowed = {
  gateway: { addresses: Object.values(addresses.gateway), port: ports.gateway },
};

/** How long probes are sent where nothing may be seen, in milliseconds. */
const probingMs = 350;

/** All probes of these classes, for a moment. */
export async function sendProbes(
  bench: Pick<Bench, 'world'>,
  kinds: readonly ProbeClass[],
  token: string,
): Promise<Probe[]> {
  const probes = kinds.flatMap((kind) => makeProbes(kind, token, bench.world.hasIpv6));
  const running = pump(probes);
  await delay(probingMs);
  running.end();
  return probes;
}

/** What probes of these classes let out, as words; all that is not allowed, whether or not it is a probe. */
export async function leaksOf(
  bench: Bench,
  kinds: readonly ProbeClass[],
  allowed: Allowed = gatewayOnly,
): Promise<string[]> {
  const frames = await bench.observe(async () => void (await sendProbes(bench, kinds, newToken())));
  return wordsFor(leaksIn(frames, allowed));
}

/** Each kind of frame once. */
export const wordsFor = (frames: readonly Frame[]): string[] => {
  const withoutSourcePort = (words: string) => words.replace(/ from (\S+) port \d+/, ' from $1');
  const found = [...new Set(frames.map((frame) => withoutSourcePort(describeFrame(frame))))];
  const shown = found.slice(0, maxWords).map((words) => `left the computer: ${words}`);
  return found.length > maxWords ? [...shown, `and ${found.length - maxWords} more`] : shown;
};

const maxWords = 12;

/**
 * Throws `NotChecked` if the positive control of one of these has failed: what cannot be seen where it is allowed would
 * not be seen elsewhere either. What was seen is wrong in any case.
 */
export function withControls(bench: Bench, controls: readonly Control[], problems: string[]): string[] {
  if (problems.length > 0) return problems;
  const missing = controls.flatMap((control) => bench.controls.get(control) ?? [`${control}: not tried`]);
  if (missing.length > 0)
    throw new NotChecked(
      'no-control',
      missing.map((name) => `not seen while it was allowed: ${name}`),
    );
  return problems;
}
