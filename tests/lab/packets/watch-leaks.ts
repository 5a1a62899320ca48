import { randomBytes } from 'node:crypto';
import type { Lab } from '../lab.ts';
import { eventually } from '../runs/process.ts';
import { findLeaks, type Leak } from './leaks.ts';

/** Sends packets with the marker from the user's machine until it is disposed. */
export type Sender = (marker: string) => Promise<AsyncDisposable>;

export interface WatchOptions {
  /** What is sent; every kind of probe, every 20 ms, if absent. */
  readonly send?: Sender;
  /** What the positive control sends, if `send` is to have another way than that past the tunnel. */
  readonly control?: Sender;
  /** What the positive control has to see; both IP versions, look-ups and connections if absent. */
  readonly kinds?: readonly Leak['kind'][];
  /** What of the uplink is looked at (pcap-filter(7)); everything if absent. */
  readonly filter?: string;
}

/** What left while `during` ran, of what was sent with the marker that it is given, and of what must not leave at all. */
export type LeaksWhile = (during: (marker: string) => Promise<unknown>) => Promise<Leak[]>;

const everyKind: readonly Leak['kind'][] = ['cleartext', 'dns', 'ipv6', 'other'];

/**
 * The only way to `leaksWhile`, whose silence means nothing without a positive control: this is called where everything
 * may leave, and resolves once each kind of what is sent was seen to, by the same sender and the same capture.
 */
export async function watchLeaks(
  lab: Pick<Lab, 'user' | 'capture'>,
  { send, control, kinds = everyKind, filter }: WatchOptions = {},
): Promise<LeaksWhile> {
  const sender = send ?? ((marker) => lab.user.probe.stream(marker));
  await expectAllSeen(lab, control ?? sender, kinds, filter);
  return async (during) => {
    const marker = newMarker();
    const capture = await lab.capture(filter);
    const sending = await sender(marker);
    try {
      await during(marker);
    } finally {
      await sending[Symbol.asyncDispose]();
    }
    return findLeaks(await capture.stop(), marker);
  };
}

async function expectAllSeen(
  lab: Pick<Lab, 'capture'>,
  send: Sender,
  kinds: readonly Leak['kind'][],
  filter: string | undefined,
): Promise<void> {
  const marker = newMarker();
  const capture = await lab.capture(filter);
  await using sending = await send(marker);
  const missing = new Set(kinds);
  await eventually('what is sent is seen while it may leave', async () => {
    for (const { kind } of findLeaks(await capture.packets(), marker)) missing.delete(kind);
    return missing.size === 0 || undefined;
  });
  void sending;
  await capture.stop();
}

const newMarker = () => `marker${randomBytes(4).toString('hex')}`;
