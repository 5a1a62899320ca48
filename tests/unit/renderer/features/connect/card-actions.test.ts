import { describe, expect, test } from 'vitest';
import { refusalTexts } from '../../../../../src/shared/texts/tunnel-texts.ts';
import type { ConnectRefusal } from '../../../../../src/shared/tunnel/look.ts';
import {
  connectionProblem,
  disconnectReason,
  invalidCause,
  type TunnelState,
} from '../../../../../src/shared/tunnel/state.ts';
import { withPlan } from '../../../../../src/shared/plan/with-plan.ts';
import { cardActions } from '../../../../../src/renderer/features/connect/card-actions.ts';
import { cardState } from '../../../../../src/renderer/features/connect/card-state.ts';
import { connected, gateway } from '../../../main/support/tunnel-states.ts';

type Choices = Parameters<typeof cardActions>[0];

const connecting = (attempt: number): TunnelState => ({
  state: 'connecting',
  gateway,
  attempt,
  phase: 'waiting',
});
const usual: Choices = {
  state: { state: 'disconnected' },
  refusal: undefined,
  serverLookup: 'known',
  needsPlan: false,
  isElsewhere: false,
  isMember: false,
  isTrialEnding: false,
  findsPortal: true,
};

const withoutTunnel: TunnelState[] = [undefined, true as const].flatMap((blocked) => [
  ...[undefined, ...disconnectReason.options].map((reason): TunnelState => ({
    state: 'disconnected',
    ...(reason && { reason }),
    ...(blocked && { blocked }),
  })),
  ...invalidCause.options.map((cause): TunnelState => ({
    state: 'invalid',
    cause,
    ...(blocked && { blocked }),
  })),
]);
const allStates: (TunnelState | undefined)[] = [
  undefined,
  ...withoutTunnel,
  connecting(1),
  connecting(2),
  connected,
  ...connectionProblem.options.map((problem): TunnelState => ({ ...connected, problems: [problem] })),
  { state: 'disconnecting', then: 'disconnected' },
];
const refusals: (ConnectRefusal | undefined)[] = [
  undefined,
  ...(Object.keys(refusalTexts) as ConnectRefusal[]),
];
const either = [false, true];
const needsServer: ReadonlySet<string> = new Set(['connect', 'connect-again', 'switch']);

test('no state offers more than two things to do, nor one twice, nor any of another’s connection', () => {
  let seen = 0;
  for (const state of allStates)
    for (const refusal of refusals)
      for (const needsPlan of either)
        for (const isElsewhere of either)
          for (const isMember of either)
            for (const isTrialEnding of either) {
              const choices = { ...usual, state, refusal, needsPlan, isElsewhere, isMember, isTrialEnding };
              const actions = cardActions(choices);
              seen += 1;
              expect(actions.length, JSON.stringify(choices)).toBeLessThanOrEqual(2);
              expect(new Set(actions).size).toBe(actions.length);
              // Without a server nothing that needs one; in its place there may be a button that waits.
              for (const serverLookup of ['loading', 'none'] as const) {
                const left = cardActions({ ...choices, serverLookup });
                expect(left.filter((action) => needsServer.has(action))).toEqual([]);
                const others = actions.filter((action) => !needsServer.has(action));
                expect(left.filter((action) => action !== 'not-yet')).toEqual(
                  others.filter((action) => action !== 'not-yet'),
                );
              }
              // A way out of a block is always there, and so is the end of a tunnel.
              const isBlocked = state !== undefined && 'blocked' in state && state.blocked;
              if (isBlocked) expect(actions, JSON.stringify(choices)).toContain('unblock');
              if (state?.state === 'connected') expect(actions).toContain('disconnect');
              if (state)
                expect(cardActions({ ...choices, state: { ...state, ownedByOther: true } })).toEqual([]);
            }
  expect(seen).toBeGreaterThan(5000);
});

describe('what is offered, the most needed first', () => {
  const blocked = { state: 'disconnected', blocked: true } as const;
  test.each<[string, Partial<Choices>, readonly string[]]>([
    ['nothing known yet', { state: undefined }, ['not-yet']],
    ['ready', {}, ['connect']],
    ['the list of servers is on its way', { serverLookup: 'loading' }, ['not-yet']],
    ['there is no server', { serverLookup: 'none' }, []],
    ['blocked, and there is no server', { state: blocked, serverLookup: 'none' }, ['unblock']],
    ['a plan is missing', { needsPlan: true }, ['choose-plan']],
    ['the trial ends', { isTrialEnding: true }, ['connect', 'choose-plan']],
    ['the trial of a member ends', { isTrialEnding: true, isMember: true }, ['connect']],
    [
      'the plan ended',
      { state: { state: 'disconnected', reason: 'plan-ended' } },
      ['connect', 'choose-plan'],
    ],
    ['not listed', { refusal: 'not-listed' }, ['connect', 'choose-plan']],
    ['a portal', { state: { state: 'disconnected', reason: 'captive-portal' } }, ['open-portal', 'connect']],
    [
      'a portal that nobody looks for',
      { state: { state: 'disconnected', reason: 'captive-portal' }, findsPortal: false },
      ['connect'],
    ],
    ['blocked by a portal', { state: { ...blocked, reason: 'captive-portal' } }, ['pass-portal', 'unblock']],
    ['blocked', { state: blocked }, ['connect', 'unblock']],
    ['blocked without a plan', { state: blocked, needsPlan: true }, ['choose-plan', 'unblock']],
    [
      'blocked without a helper',
      { state: { state: 'invalid', cause: 'helper-absent', blocked: true } },
      ['unblock'],
    ],
    ['no helper', { state: { state: 'invalid', cause: 'helper-absent' } }, []],
    [
      'a program is missing, which may have been installed',
      { state: { state: 'invalid', cause: 'engine-absent' } },
      ['connect'],
    ],
    [
      'the same while blocked',
      { state: { state: 'invalid', cause: 'engine-absent', blocked: true } },
      ['connect', 'unblock'],
    ],
    [
      'sign-in refused',
      { state: { state: 'disconnected', reason: 'sign-in-refused' } },
      ['sign-in-again', 'connect'],
    ],
    ['connecting', { state: connecting(1) }, ['cancel']],
    ['connecting again', { state: connecting(2) }, ['cancel', 'pass-portal']],
    ['connecting again without a portal', { state: connecting(2), findsPortal: false }, ['cancel']],
    ['connected', { state: connected }, ['disconnect']],
    ['another server chosen', { state: connected, isElsewhere: true }, ['switch', 'disconnect']],
    ['impaired', { state: { ...connected, problems: ['no-dns'] } }, ['connect-again', 'disconnect']],
    ['connected, the trial ends', { state: connected, isTrialEnding: true }, ['disconnect', 'choose-plan']],
  ])('%s', (_name, choices, actions) => {
    expect(cardActions({ ...usual, ...choices })).toEqual(actions);
  });
});

test('what the user cancelled is no failure, and a connection made again is not one made first', () => {
  const card = (state: TunnelState) => cardState({ ...usual, state });
  expect(card({ state: 'disconnected', reason: 'sign-in-cancelled' })).toBe('disconnected');
  expect(card({ state: 'disconnected', reason: 'gateway-unreachable' })).toBe('failed');
  expect(card({ state: 'disconnected', reason: 'protection-failed' })).toBe('exposed');
  expect(card(connecting(1))).toBe('connecting');
  expect(card(connecting(2))).toBe('reconnecting');
});

describe('after a trial or a plan has ended', () => {
  const ended = ['trial-ended', 'plan-ended'] as const;

  test.each(ended)('%s is no longer said to who has another plan', (reason) => {
    const state = withPlan({ state: 'disconnected', reason, blocked: true }, true);
    expect(state).toEqual({ state: 'disconnected', blocked: true });
    expect(cardState({ ...usual, state: withPlan({ state: 'disconnected', reason }, true) })).toBe(
      'disconnected',
    );
  });

  test.each(ended)('%s is said as long as no plan is known', (reason) => {
    const state: TunnelState = { state: 'disconnected', reason };
    expect(withPlan(state, false)).toEqual(state);
  });

  test('other reasons stay', () => {
    const state: TunnelState = { state: 'disconnected', reason: 'engine-failed' };
    expect(withPlan(state, true)).toEqual(state);
  });
});
