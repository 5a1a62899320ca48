import type { Arena } from './arena.ts';

/** The first packets that were sent and not answered: they may not have arrived. */
export interface Unanswered {
  readonly keep: (packet: number, length: number) => void;
  forget(): void;
  all(): Uint8Array[];
}

/** More than these may get lost, and larger ones: programs send what matters again. */
const maxPackets = 32;
const maxBytes = 2_048;

/** The room that they take in the arena. */
export const unansweredBytes = maxPackets * maxBytes;

export function createUnanswered(arena: Arena): Unanswered {
  const { bytes } = arena;
  const room = arena.take(unansweredBytes);
  const lengths: number[] = [];
  return {
    keep(packet, length) {
      if (lengths.length === maxPackets || length > maxBytes) return;
      bytes.copyWithin(room + lengths.length * maxBytes, packet, packet + length);
      lengths.push(length);
    },
    forget: () => void (lengths.length = 0),
    all: () =>
      lengths.map((length, index) => bytes.slice(room + index * maxBytes, room + index * maxBytes + length)),
  };
}
