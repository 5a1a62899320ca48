import { describe, expect, test } from 'vitest';
import {
  judgePeer,
  patienceWith,
  type ChannelTimes,
} from '../../../../../helper/engine/own/tunnel/dead-peer-detection.ts';

const patience = patienceWith(40);
const longAgo = -1_000_000;
const times = (known: Partial<ChannelTimes>): ChannelTimes => ({
  unansweredSince: undefined,
  askedAt: longAgo,
  heardAt: 0,
  dataSentAt: 0,
  ...known,
});

/** When each question is asked of a peer that never answers, and when it is taken for dead. */
function liveUntilDead(known: Partial<ChannelTimes>): { asked: number[]; deadAt: number } {
  const asked: number[] = [];
  let seen = times(known);
  for (let now = 0; now < 600_000; now += 10) {
    const verdict = judgePeer(patience, now, seen);
    if (verdict.kind === 'dead') return { asked, deadAt: now };
    expect(verdict.until, 'when to look again').toBeGreaterThan(now);
    if (verdict.kind !== 'to-ask') continue;
    asked.push(now);
    seen = { ...seen, askedAt: now, unansweredSince: seen.unansweredSince ?? now };
  }
  throw new Error('it is never taken for dead');
}

describe('by datagrams, a peer', () => {
  test('that says nothing to what was sent is asked several times, and dead 0.9 s after that was sent', () => {
    expect(liveUntilDead({ unansweredSince: 0 })).toEqual({ asked: [300, 450, 600, 750], deadAt: 900 });
  });

  test('to which nothing is sent is asked later, more rarely once nobody sends, and is dead as fast after that', () => {
    const busy = liveUntilDead({ dataSentAt: 0 });
    expect(busy.asked[0]).toBe(patience.idleMs);
    expect(busy.deadAt - (busy.asked[0] ?? 0)).toBe(900);
    const resting = liveUntilDead({ dataSentAt: longAgo });
    expect(resting.asked[0]).toBe(patience.restMs);
    expect(resting.deadAt - (resting.asked[0] ?? 0)).toBe(900);
  });

  test('that takes long to answer has that time in addition', () => {
    const slow = patienceWith(1_000);
    const silent = times({ unansweredSince: 0 });
    expect(judgePeer(slow, 3_990, silent).kind).not.toBe('dead');
    expect(judgePeer(slow, 4_000, silent)).toEqual({ kind: 'dead' });
  });

  test('that was heard is looked at when it would have to be asked', () => {
    expect(judgePeer(patience, 100, times({ heardAt: 100 }))).toEqual({
      kind: 'quiet',
      until: 100 + patience.idleMs,
    });
  });
});
