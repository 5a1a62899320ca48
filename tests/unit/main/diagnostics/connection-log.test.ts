import { expect, test, vi } from 'vitest';
import type { LossCause } from '#shared/tunnel/connection-log.ts';
import { maxConnectionLogEntries } from '#shared/tunnel/connection-log.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createConnectionLog } from '../../../../src/main/diagnostics/connection-log.ts';
import { createLossWatch } from '../../../../src/main/diagnostics/loss-cause.ts';
import type { Link } from '../../../../src/main/diagnostics/network-links.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { connected } from '../support/surroundings.ts';

const { gateway } = connected;
const connecting: TunnelState = { state: 'connecting', gateway, attempt: 1, phase: 'handshaking' };
const again: TunnelState = { state: 'connecting', gateway, attempt: 2, phase: 'waiting' };
const disconnected: TunnelState = { state: 'disconnected' };
const ended: TunnelState = { state: 'disconnected', reason: 'session-ended', blocked: true };

function open(file = createTestFile(), lossCause: () => LossCause = () => 'wifi-gone') {
  const log = createConnectionLog({ file, lossCause });
  const events = () => log.entries().map(({ event }) => event);
  const see = (...states: TunnelState[]) => {
    for (const state of states) log.add(state, 'Tokyo');
  };
  return { log, see, events };
}

const up = { kind: 'connected', server: 'Tokyo', since: 1 };

test('an entry that cannot be read takes no other one with it', () => {
  const file = createTestFile();
  const good = { at: 1, event: { kind: 'ended' } };
  file.set('entries', [null, good, { at: 2, event: { kind: 'of a later version' } }, 'x', { at: 'y' }]);
  const { log, see, events } = open(file);
  expect(log.entries()).toEqual([good]);
  see(connecting, connected);
  expect(events()).toEqual([good.event, up]);
});

test('what the user does and what happens are told apart', () => {
  const { log, see, events } = open();
  see(disconnected);
  log.commanded();
  see(connecting, connected, again, { ...connected, since: 2 });
  expect(events()).toEqual([up, { ...up, since: 2 }]);
});

test('a loss has its cause, and is written once however long it takes', () => {
  const { see, events } = open();
  see(
    connecting,
    connected,
    again,
    again,
    { ...connected, since: 2 },
    { state: 'disconnecting', then: 'disconnected' },
  );
  see(disconnected, disconnected);
  expect(events()).toEqual([
    up,
    { kind: 'lost', cause: 'wifi-gone' },
    { ...up, since: 2 },
    { kind: 'ended' },
  ]);
});

test('a tunnel that the server has ended with its own words was not lost by silence', () => {
  const { see, events } = open(createTestFile(), () => 'server-silent');
  const goodbye = 'Idle timeout';
  see(connecting, connected, { ...again, goodbye }, { ...again, attempt: 3, goodbye });
  see({ ...connected, since: 2 }, again);
  expect(events()).toEqual([
    up,
    { kind: 'lost', cause: 'server-ended' },
    { ...up, since: 2 },
    { kind: 'lost', cause: 'server-silent' },
  ]);
});

test('an attempt that fails says why, and one that is given up says nothing', () => {
  const { see, events } = open();
  see(connecting, { state: 'disconnected', reason: 'sign-in-cancelled' });
  see(connecting, disconnected);
  see(connecting, { state: 'disconnected', reason: 'gateway-unreachable' });
  expect(events()).toEqual([{ kind: 'ended', reason: 'gateway-unreachable' }]);
});

test('what is blocked, and what does not get through', () => {
  const { see, events } = open();
  see(
    connected,
    { ...connected, problems: ['dns-silent'] },
    { ...connected, problems: ['dns-silent'] },
    connected,
  );
  see(ended, disconnected);
  expect(events()).toEqual([
    up,
    { kind: 'impaired', problem: 'dns-silent' },
    { kind: 'repaired' },
    { kind: 'ended', reason: 'session-ended' },
    { kind: 'blocked' },
    { kind: 'unblocked' },
  ]);
});

test('the log outlives the app, whose next run knows the tunnel again', () => {
  const file = createTestFile();
  const first = open(file);
  first.see(connecting, connected);
  const second = open(file);
  second.see(connected);
  expect(second.events()).toEqual([up]);
  second.see({ ...connected, since: 5 });
  expect(second.events()).toEqual([up, { ...up, since: 5 }]);
});

test('the log is bounded, can be cleared, and says nothing of other users', () => {
  const file = createTestFile();
  const { log, see, events } = open(file);
  see({ ...connected, ownedByOther: true });
  expect(events()).toEqual([]);
  for (let since = 0; since < maxConnectionLogEntries + 50; since += 1) see({ ...connected, since });
  expect(events()).toHaveLength(maxConnectionLogEntries);
  expect(events()[0]).toEqual({ ...up, since: 50 });
  expect(log.clear()).toBe(true);
  expect(open(file).events()).toEqual([]);
});

test('after a sign-out nothing of the tunnel’s end is written', () => {
  const { log, see, events } = open();
  see(connected);
  log.forget();
  see({ state: 'disconnecting', then: 'disconnected' }, disconnected);
  expect(events()).toEqual([]);
});

test('a file with anything else in it is begun again', () => {
  expect(open(createTestFile({ entries: [{ at: 'yesterday' }] })).events()).toEqual([]);
});

const at = (name: string, ...addresses: string[]): Link => ({ name, addresses });

test.each<[LossCause, Link[], Link[]]>([
  ['server-silent', [at('eth0', '192.0.2.1')], [at('eth0', '192.0.2.1', '2001:db8::1')]],
  ['wifi-gone', [at('wlan0', '192.0.2.1'), at('br0', '192.0.2.9')], [at('br0', '192.0.2.9')]],
  ['network-gone', [at('eth0', '192.0.2.1')], []],
  ['network-changed', [at('wlan0', '192.0.2.1')], [at('wlan0', '198.51.100.7')]],
])('%s is told by what became of the networks', async (cause, before, after) => {
  let links = before;
  const watch = createLossWatch({ links: () => links, findWifi: async () => ['wlan0'] });
  watch.up();
  await Promise.resolve();
  links = after;
  expect(watch.cause()).toBe(cause);
});

test('what is found out of earlier networks later says nothing of the present ones', async () => {
  let links = [at('en0', '192.0.2.1')];
  const earlier = Promise.withResolvers<string[]>();
  const answers = [earlier.promise, Promise.resolve(['en1'])];
  const watch = createLossWatch({ links: () => links, findWifi: async () => (await answers.shift()) ?? [] });
  watch.up();
  links = [at('en1', '192.0.2.1')];
  watch.up();
  await new Promise(setImmediate);
  earlier.resolve(['en0']);
  await new Promise(setImmediate);
  links = [];
  expect(watch.cause()).toBe('wifi-gone');
});

test('a tunnel that is lost around a sleep is lost by it, and a later one is not', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const watch = createLossWatch({ links: () => [] });
    watch.up();
    watch.slept();
    expect(watch.cause()).toBe('asleep');
    watch.woke();
    vi.advanceTimersByTime(10_000);
    expect(watch.cause()).toBe('asleep');
    vi.advanceTimersByTime(60_000);
    expect(watch.cause()).toBe('server-silent');
  } finally {
    vi.useRealTimers();
  }
});
