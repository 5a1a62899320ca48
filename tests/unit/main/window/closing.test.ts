import { describe, expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { closing } from '../../../../src/main/window/closing.ts';
import { quitting } from '../../../../src/main/window/quitting.ts';
import { connected, gateway } from '../support/tunnel-states.ts';

const connecting: TunnelState = { state: 'connecting', gateway, attempt: 1, phase: 'authenticating' };
const disconnected: TunnelState = { state: 'disconnected' };
const blocked: TunnelState = { state: 'disconnected', blocked: true };
const withoutHelper: TunnelState = { state: 'invalid', cause: 'helper-absent', blocked: true };
const others: TunnelState = { ...connected, ownedByOther: true };

describe('closing the window', () => {
  test.each([
    ['hides it where an icon brings it back', true, connected, 'hide'],
    ['hides it there without a tunnel, too', true, disconnected, 'hide'],
    ['quits where it would be lost, and nothing is at work', false, disconnected, 'quit'],
    ['asks where a tunnel would be lost out of sight', false, connected, 'ask'],
    ['asks where one is being made', false, connecting, 'ask'],
    ['asks where traffic is blocked', false, blocked, 'ask'],
    ['quits where the tunnel is another user’s', false, others, 'quit'],
    ['minimizes it where nobody knows in time', undefined, disconnected, 'minimize'],
    ['minimizes it then with a tunnel, too', undefined, connected, 'minimize'],
  ] as const)('%s', (_, hasPlace, state, does) => {
    expect(closing({ hasPlace, state })).toBe(does);
  });
});

describe('quitting', () => {
  /** What is done, or the title of what is asked, with what each answer does. */
  function outcome(state: TunnelState, killSwitch: boolean, wanted: 'disconnect' | 'keep') {
    const plan = quitting({ state, killSwitch, wanted });
    return 'does' in plan ? plan.does : [plan.asks.title, ...plan.asks.choices.map(({ does }) => does)];
  }

  test('without a tunnel nothing is done, and nothing asked', () => {
    expect(outcome(disconnected, true, 'disconnect')).toBe('keep');
    expect(outcome({ state: 'invalid', cause: 'helper-absent' }, true, 'disconnect')).toBe('keep');
  });

  test('another user’s tunnel is left alone', () => {
    expect(outcome(others, true, 'disconnect')).toBe('keep');
  });

  test('with the kill switch off it does what is set', () => {
    expect(outcome(connected, false, 'disconnect')).toBe('disconnect');
    expect(outcome(connected, false, 'keep')).toBe('keep');
    expect(outcome(connecting, false, 'disconnect')).toBe('disconnect');
  });

  test('with the kill switch on it says first what becomes of the traffic, with what is set first', () => {
    expect(outcome(connected, true, 'disconnect')).toEqual([
      'quit.disconnectTitle',
      'disconnect',
      'keep',
      'stay-open',
    ]);
    expect(outcome(connected, true, 'keep')).toEqual(['quit.keepTitle', 'keep', 'disconnect', 'stay-open']);
  });

  test('nobody is left with blocked traffic unasked', () => {
    const asked = ['connect.blocked', 'keep', 'disconnect', 'stay-open'];
    expect(outcome(blocked, true, 'disconnect')).toEqual(asked);
    expect(outcome(blocked, false, 'keep')).toEqual(asked);
    expect(outcome(withoutHelper, true, 'disconnect')).toEqual(['connect.blocked', 'keep', 'stay-open']);
    // Only this app could sign in for it.
    expect(outcome(connecting, true, 'disconnect')).toContain('connect.blocked');
    expect(outcome(connecting, false, 'keep')).toContain('connect.blocked');
  });
});
