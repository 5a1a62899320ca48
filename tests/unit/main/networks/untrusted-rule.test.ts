import { expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { NetworkInUse } from '../../../../src/main/networks/networks.ts';
import {
  nextStep,
  noRuleMemory,
  type RuleAction,
  type RuleEvent,
  type Situation,
} from '../../../../src/main/networks/untrusted-rule.ts';
import { connected } from '../support/surroundings.ts';

const wifi = (name: string, isProtected = true): NetworkInUse => {
  const ssid = Buffer.from(name).toString('hex');
  return { network: { kind: 'wifi', ssid, isProtected }, id: `wifi ${ssid} ${isProtected}` };
};
const home = wifi('home');
const cafe = wifi('café');
const airport = wifi('airport');
const none: NetworkInUse = { network: { kind: 'none' }, id: '' };
const wired: NetworkInUse = { network: { kind: 'wired' }, id: 'wired 1' };
const disconnected: TunnelState = { state: 'disconnected' };
const failed: TunnelState = { state: 'disconnected', reason: 'gateway-unreachable' };
const connecting: TunnelState = {
  state: 'connecting',
  gateway: connected.gateway,
  attempt: 1,
  phase: 'authenticating',
};

/** The rule in a world that does what it asks. */
function start(overrides: Partial<Situation> = {}) {
  let memory = noRuleMemory;
  let situation: Situation = {
    settings: {
      connectOnUntrusted: true,
      disconnectOnTrusted: true,
      trustWired: false,
      trustedNetworks: [Buffer.from('home').toString('hex')],
    },
    network: none,
    tunnel: disconnected,
    canConnect: true,
    killSwitch: false,
    isTrying: false,
    ...overrides,
  };
  function take(event: RuleEvent): RuleAction | undefined {
    const next = nextStep(memory, event, situation);
    memory = next.memory;
    if (next.does === 'connect') situation = { ...situation, isTrying: true };
    if (next.does === 'stop-trying') situation = { ...situation, isTrying: false };
    if (next.does === 'disconnect') situation = { ...situation, isTrying: false, tunnel: disconnected };
    return next.does;
  }
  const set = (change: Partial<Situation>) => {
    situation = { ...situation, ...change };
    return take({ type: 'changed' });
  };
  return {
    set,
    settings: (change: Partial<Situation['settings']>) =>
      set({ settings: { ...situation.settings, ...change } }),
    join: (network: NetworkInUse | undefined) => set({ network }),
    /** The tunnel that was being made is up. */
    comesUp: () => set({ tunnel: connected, isTrying: false }),
    press(command: 'connect' | 'disconnect') {
      situation = { ...situation, isTrying: false };
      const does = take({ type: 'command', command });
      return does ?? set({ tunnel: command === 'connect' ? connecting : disconnected });
    },
  };
}

test('joining a network that is not trusted connects, once', () => {
  const rule = start();
  expect(rule.join(cafe)).toBe('connect');
  expect(rule.set({ tunnel: connecting })).toBeUndefined();
  expect(rule.comesUp()).toBeUndefined();
  expect(rule.join(cafe)).toBeUndefined();
});

test('a trusted network, none, and one that nobody knows do nothing', () => {
  const rule = start();
  for (const network of [home, none, undefined]) expect(rule.join(network)).toBeUndefined();
});

test('a trusted name without a password, a wired network and an unnamed one are not trusted', () => {
  const hidden: NetworkInUse = { network: { kind: 'wifi', isProtected: true }, id: 'wifi hidden' };
  for (const network of [wifi('home', false), wired, hidden]) expect(start().join(network)).toBe('connect');
  const rule = start();
  rule.settings({ trustWired: true });
  expect(rule.join(wired)).toBeUndefined();
});

test('switched off it does nothing, and switched on it begins on the network that is there', () => {
  const rule = start();
  rule.settings({ connectOnUntrusted: false });
  expect(rule.join(cafe)).toBeUndefined();
  expect(rule.settings({ connectOnUntrusted: true })).toBe('connect');
});

test('the rule waits until somebody is signed in, with a server to connect to, and for the helper', () => {
  const rule = start({ canConnect: false, tunnel: { state: 'invalid', cause: 'helper-absent' } });
  expect(rule.join(cafe)).toBeUndefined();
  expect(rule.set({ canConnect: true })).toBeUndefined();
  expect(rule.set({ tunnel: disconnected })).toBe('connect');
});

test("another user's connection is left alone", () => {
  const rule = start({ tunnel: { state: 'disconnected', ownedByOther: true } });
  expect(rule.join(cafe)).toBeUndefined();
});

test('disconnecting on an untrusted network stops auto-connect until the next one', () => {
  const rule = start();
  rule.join(cafe);
  rule.comesUp();
  expect(rule.press('disconnect')).toBeUndefined();
  // A moment without a network, or a restart of NetworkManager, is no other network.
  for (const network of [none, cafe, undefined, cafe]) expect(rule.join(network)).toBeUndefined();
  expect(rule.set({ canConnect: true })).toBeUndefined();
  expect(rule.join(airport)).toBe('connect');
});

test('disconnecting on one network does not stop auto-connect on another', () => {
  const rule = start();
  rule.join(home);
  rule.press('disconnect');
  expect(rule.join(cafe)).toBe('connect');
});

test('what has failed is tried again on the next network, and when this one is joined again', () => {
  const rule = start();
  rule.join(cafe);
  expect(rule.set({ tunnel: failed, isTrying: false })).toBeUndefined();
  expect(rule.set({ canConnect: true })).toBeUndefined();
  expect(rule.join(none)).toBeUndefined();
  expect(rule.join(cafe)).toBe('connect');
  rule.set({ tunnel: failed, isTrying: false });
  expect(rule.join(airport)).toBe('connect');
});

test('a tunnel of its own ends on a trusted network, also one that is being made again', () => {
  for (const tunnel of [connected, connecting]) {
    const rule = start();
    rule.join(cafe);
    rule.comesUp();
    rule.set({ tunnel });
    expect(rule.join(home)).toBe('disconnect');
    expect(rule.join(cafe)).toBe('connect');
  }
});

test('a tunnel stays on a trusted network if that is set, and the tries that are left end', () => {
  const rule = start();
  rule.settings({ disconnectOnTrusted: false });
  rule.join(cafe);
  rule.comesUp();
  expect(rule.join(home)).toBeUndefined();
  const trying = start();
  trying.settings({ disconnectOnTrusted: false });
  trying.join(cafe);
  trying.set({ tunnel: failed });
  expect(trying.join(home)).toBe('stop-trying');
  expect(trying.join(home)).toBeUndefined();
});

test('with the kill switch on it never ends a tunnel', () => {
  const rule = start({ killSwitch: true });
  rule.join(cafe);
  rule.comesUp();
  expect(rule.join(home)).toBeUndefined();
  expect(rule.set({ tunnel: connecting })).toBeUndefined();
});

test('a tunnel that the user has made, or taken over, never ends by itself', () => {
  const byHand = start();
  byHand.join(home);
  byHand.press('connect');
  byHand.comesUp();
  for (const network of [cafe, home]) expect(byHand.join(network)).toBeUndefined();
  const takenOver = start();
  takenOver.join(cafe);
  takenOver.comesUp();
  takenOver.press('connect');
  takenOver.comesUp();
  expect(takenOver.join(home)).toBeUndefined();
});

test('a tunnel that was begun at the start of the app never ends by itself either', () => {
  const rule = start({ isTrying: true });
  expect(rule.join(cafe)).toBe('connect');
  rule.comesUp();
  expect(rule.join(home)).toBeUndefined();
});

test('a tunnel that has ended is forgotten', () => {
  const rule = start();
  rule.join(cafe);
  rule.comesUp();
  rule.set({ tunnel: { state: 'disconnected', reason: 'session-ended' } });
  // By what waits for a portal, for one.
  rule.comesUp();
  expect(rule.join(home)).toBeUndefined();
});

test('trusting the network that it connected on ends its tunnel, and taking that back connects', () => {
  const rule = start();
  rule.join(cafe);
  rule.comesUp();
  const both = [home, cafe].map(({ network }) => (network.kind === 'wifi' ? (network.ssid ?? '') : ''));
  expect(rule.settings({ trustedNetworks: both })).toBe('disconnect');
  const other = start();
  other.join(home);
  expect(other.settings({ trustedNetworks: [] })).toBe('connect');
});

test('switched off, it leaves its tunnel and tries no more', () => {
  const rule = start();
  rule.join(cafe);
  rule.comesUp();
  expect(rule.settings({ connectOnUntrusted: false })).toBeUndefined();
  expect(rule.join(home)).toBeUndefined();
  const trying = start();
  trying.join(cafe);
  expect(trying.settings({ connectOnUntrusted: false })).toBe('stop-trying');
});
