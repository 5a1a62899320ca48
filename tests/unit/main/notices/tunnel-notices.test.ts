import { describe, expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import {
  nextNotice,
  noMemory,
  wakeAt,
  type NoticeEvent,
} from '../../../../src/main/notices/tunnel-notices.ts';
import { connected, gateway } from '../support/tunnel-states.ts';

const states = {
  up: connected,
  trying: { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' },
  again: { state: 'connecting', gateway, attempt: 2, phase: 'waiting' },
  ending: { state: 'disconnecting', then: 'disconnected' },
  open: { state: 'disconnected' },
  failed: { state: 'disconnected', reason: 'gateway-unreachable' },
  cancelled: { state: 'disconnected', reason: 'sign-in-cancelled' },
  ended: { state: 'disconnected', reason: 'trial-ended' },
  blocked: { state: 'disconnected', reason: 'session-ended', blocked: true },
  absent: { state: 'invalid', cause: 'helper-absent' },
  others: { state: 'connecting', gateway, attempt: 1, phase: 'handshaking', ownedByOther: true },
} as const satisfies Record<string, TunnelState>;

/** A state; `connect` and `disconnect`: the user presses it; `hide`, `show`: the window; `+`: so many seconds pass. */
type Step = keyof typeof states | 'connect' | 'disconnect' | 'hide' | 'show' | `+${number}`;

/** The notices of what happens in this order, each with the step that it came with. The window begins hidden. */
function play(...steps: Step[]): string[] {
  let memory = noMemory;
  let at = 0;
  let isInFront = false;
  const notices: string[] = [];
  const take = (event: NoticeEvent, step: string) => {
    const next = nextNotice(memory, event);
    memory = next.memory;
    if (next.notice) notices.push(`${step}: ${next.notice.kind}`);
  };
  for (const step of steps) {
    if (step === 'connect' || step === 'disconnect') take({ type: 'command', command: step, at }, step);
    else if (step === 'hide') isInFront = false;
    else if (step === 'show') {
      isInFront = true;
      take({ type: 'seen' }, step);
    } else if (step.startsWith('+')) {
      at += Number(step) * 1000;
      const wake = wakeAt(memory);
      if (wake !== undefined && wake <= at) take({ type: 'wake', at }, step);
    } else take({ type: 'state', state: states[step as keyof typeof states], isInFront, at }, step);
  }
  return notices;
}

describe('what the user has just done is no news', () => {
  test.each<[string, Step[]]>([
    ['connecting', ['open', 'connect', 'trying', '+2', 'up']],
    ['connecting, where it looks as before for a moment', ['open', 'connect', 'open', 'trying', 'up']],
    ['disconnecting', ['up', 'disconnect', 'up', 'ending', 'open']],
    ['cancelling', ['open', 'connect', 'trying', 'disconnect', 'open']],
    ['cancelling a sign-in', ['open', 'connect', 'trying', 'cancelled']],
    ['changing servers', ['up', 'connect', 'ending', 'trying', '+2', 'up']],
    ['unblocking', ['show', 'blocked', 'hide', 'disconnect', 'open']],
  ])('%s', (_, steps) => {
    expect(play(...steps)).toEqual([]);
  });

  test('but a connection that took long is', () => {
    expect(play('open', 'connect', 'trying', '+30', 'up')).toEqual(['up: connected']);
  });

  test('and so is that it failed', () => {
    expect(play('open', 'connect', 'trying', '+2', 'failed')).toEqual(['failed: disconnected']);
  });
});

describe('what happens by itself is', () => {
  test.each<[string, Step[], string[]]>([
    ['a tunnel is lost, and back', ['up', 'again', '+6', 'up'], ['+6: reconnecting', 'up: connected']],
    ['and lost for good', ['up', 'again', '+6', 'failed'], ['+6: reconnecting', 'failed: disconnected']],
    [
      'lost soon after the user has connected',
      ['open', 'connect', 'trying', 'up', 'again', '+6', 'up'],
      ['+6: reconnecting', 'up: connected'],
    ],
    ['lost at once', ['up', 'failed'], ['failed: disconnected']],
    ['the trial ends', ['up', 'ended'], ['ended: disconnected']],
    ['the kill switch blocks', ['up', 'blocked'], ['blocked: blocked']],
    ['and it is back', ['up', 'blocked', 'again', 'up'], ['blocked: blocked', 'up: connected']],
    ['a tunnel comes by itself', ['open', 'trying', 'up'], ['up: connected']],
    ['the helper goes away', ['up', 'absent', '+6'], ['+6: reconnecting']],
    ['traffic is blocked from the start', ['blocked'], ['blocked: blocked']],
  ])('%s', (_, steps, expected) => {
    expect(play(...steps)).toEqual(expected);
  });
});

describe('nothing is said twice, or of what nobody has missed', () => {
  test.each<[string, Step[], string[]]>([
    ['a tunnel that is back at once', ['up', 'again', '+2', 'up', '+10'], []],
    ['attempts that go on', ['up', 'again', '+6', 'again', '+6', 'trying', '+60'], ['+6: reconnecting']],
    [
      'traffic that stays blocked between attempts',
      ['up', 'blocked', 'again', 'blocked', 'again', 'blocked'],
      ['blocked: blocked'],
    ],
    [
      'a failure that is told again',
      ['open', 'connect', 'trying', 'failed', 'failed'],
      ['failed: disconnected'],
    ],
    ['the app starts beside a tunnel', ['up'], []],
    ['the app starts without one', ['absent', 'open'], []],
    ['what the window has shown', ['up', 'show', 'again', '+6', 'failed', 'hide', 'failed'], []],
    ['what somebody else does', ['open', 'others', '+20', 'open'], []],
  ])('%s', (_, steps, expected) => {
    expect(play(...steps)).toEqual(expected);
  });

  test('but what comes after the window is hidden again is news', () => {
    expect(play('show', 'up', 'hide', 'blocked')).toEqual(['blocked: blocked']);
    expect(play('up', 'again', 'show', 'hide', '+6', 'up')).toEqual(['up: connected']);
  });
});
