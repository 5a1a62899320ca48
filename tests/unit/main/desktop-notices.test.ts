import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { basicInfo } from '#shared/entities.ts';
import { en } from '#shared/texts/en.ts';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../../../src/main/core/core.ts';
import {
  createDesktopNotices,
  type DesktopNotices,
  type DesktopNoticesOptions,
  type Notice,
} from '../../../src/main/desktop-notices.ts';
import { connected, createTestSurroundings, groups, type TestSurroundings } from './support/surroundings.ts';

const hour = 3_600_000;
const linkNames = Object.keys(basicInfo.shape.links.shape);

let around: TestSurroundings;
let told: Notice[];
/** What the desktop still shows, by what it is about. */
let shown: Map<string, string>;
let isInFront: boolean;
const titles = () => told.map(({ title }) => title);

beforeEach(async () => {
  around = await createTestSurroundings();
  told = [];
  shown = new Map();
  isInFront = false;
});
afterEach(async () => {
  vi.useRealTimers();
  await around[Symbol.asyncDispose]();
});

let notices: DesktopNotices;

async function start(updates?: DesktopNoticesOptions['updates']): Promise<Core> {
  const core = around.startCore();
  notices = createDesktopNotices({
    core,
    updates,
    say: createSay('en', 'linux'),
    isInFront: () => isInFront,
    notify(notice, subject) {
      told.push(notice);
      shown.set(subject, notice.title);
    },
    withdraw: (subject) => void shown.delete(subject),
  });
  await core.session.load();
  await core.routingModes();
  return core;
}

async function askForPlan(core: Core, left: number): Promise<void> {
  const expiredAt = new Date(Date.now() + left).toISOString();
  around.answers['/api/my-service'] = { serviceId: 's', expiredAt, seats: 1, service: 'Plan' };
  await core.client.call('serverGroups');
  await core.client.call('myService');
}

test('the end of a plan is said once, also over a restart, and again when it is nearer', async () => {
  const first = await start();
  const plan = 50 * hour;
  await askForPlan(first, plan);
  expect(told).toEqual([
    {
      title: 'Your plan ends in less than 3 days',
      text: 'After that, Waymaker cannot connect without a plan.',
    },
  ]);
  await first.client.call('myService');
  first.close();
  const second = await start();
  await second.client.call('myService');
  expect(titles()).toHaveLength(1);
  await askForPlan(second, 5 * hour);
  expect(titles()).toEqual(['Your plan ends in less than 3 days', 'Your plan ends in less than 1 day']);
});

test('what the window shows meanwhile is not said, nor later', async () => {
  isInFront = true;
  const core = await start();
  await askForPlan(core, 5 * hour);
  isInFront = false;
  await core.client.call('myService');
  expect(told).toEqual([]);
});

test('what becomes of the tunnel by itself is told, and not what the user does with it', async () => {
  around.helper.on('disconnect', () => around.helper.set({ state: 'disconnected' }));
  const core = await start();
  const isNow = (state: string) => vi.waitFor(() => expect(core.tunnel.state().state).toBe(state));
  around.helper.set(connected);
  await isNow('connected');
  await core.tunnel.host.disconnect(undefined);
  await isNow('disconnected');
  expect(titles()).toEqual(['Connected to One']);

  around.helper.set({ state: 'disconnected', reason: 'session-ended', blocked: true });
  await vi.waitFor(() => expect(titles()).toEqual(['Connected to One', 'Internet blocked']));
});

test('what is said of the tunnel takes the place of what was said before, and goes once it is not so', async () => {
  around.helper.on('disconnect', () => around.helper.set({ state: 'disconnected' }));
  const core = await start();
  const isShown = (title: string | undefined) => vi.waitFor(() => expect(shown.get('tunnel')).toBe(title));
  const blocked = { state: 'disconnected', reason: 'session-ended', blocked: true } as const;
  await askForPlan(core, 5 * hour);
  around.helper.set(connected);
  await isShown('Connected to One');
  around.helper.set(blocked);
  await isShown('Internet blocked');
  await core.tunnel.host.disconnect(undefined);
  await isShown(undefined);

  notices.attemptFailed('gateway-unreachable');
  await isShown(en['connect.failed']);
  notices.seen();
  await isShown(undefined);

  around.helper.set(connected);
  around.helper.set(blocked);
  await isShown('Internet blocked');
  isInFront = true;
  around.helper.set(connected);
  await isShown(undefined);
  expect([...shown], 'what is about something else stays').toEqual([
    ['plan', 'Your plan ends in less than 1 day'],
  ]);
});

test('the notice that a plan ends is taken back once it is renewed, and that of a session once it has ended', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const core = await start();
  await askForPlan(core, 5 * hour);
  expect(shown.get('plan')).toBe('Your plan ends in less than 1 day');
  await askForPlan(core, 500 * hour);
  expect(shown.get('plan')).toBeUndefined();

  const endsAt = Date.now() + 6 * 60_000;
  around.helper.set({ ...connected, terms: { endsAt } });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ terms: { endsAt } }));
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(shown.get('session')).toMatch(/^The server ends this session/);
  around.helper.set({ state: 'disconnected', reason: 'session-ended' });
  await vi.waitFor(() => expect(shown.get('session')).toBeUndefined());
});

test('the end of a session that the gateway limits is said five minutes before, unless the window shows it', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const core = await start();
  const isKnown = (endsAt: number) =>
    vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ terms: { endsAt } }));
  const until = async (endsAt: number) => {
    around.helper.set({ ...connected, terms: { endsAt } });
    await isKnown(endsAt);
  };
  const isSaid = () => titles().some((title) => title.startsWith('The server ends'));
  await until(Date.now() + 8 * 60_000);
  expect(isSaid()).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isSaid()).toBe(false);
  await vi.advanceTimersByTimeAsync(2.5 * 60_000);
  expect(told.at(-1)).toEqual({
    title: expect.stringMatching(/^The server ends this session at \d+:\d\d.[AP]M$/) as string,
    text: 'Waymaker then connects again. The server may ask you to sign in.',
  });
  const { length } = told;
  isInFront = true;
  await until(Date.now() + 6 * 60_000);
  await vi.advanceTimersByTimeAsync(1.5 * 60_000);
  expect(told).toHaveLength(length);
});

test('the end of a session is also said in time after the computer has slept', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const core = await start();
  const endsAt = Date.now() + 60 * 60_000;
  around.helper.set({ ...connected, terms: { endsAt } });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ terms: { endsAt } }));
  // Timers stand still meanwhile.
  vi.setSystemTime(Date.now() + 54 * 60_000);
  await vi.advanceTimersByTimeAsync(2 * 60_000);
  expect(titles().filter((title) => title.startsWith('The server ends'))).toHaveLength(1);
});

test('a gateway that names another end each few seconds has that said once', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const core = await start();
  for (let answers = 0; answers < 10; answers += 1) {
    const endsAt = Date.now() + 5 * 60_000 + 1_000;
    around.helper.set({ ...connected, terms: { endsAt } });
    await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ terms: { endsAt } }));
    await vi.advanceTimersByTimeAsync(2_000);
  }
  expect(titles().filter((title) => title.startsWith('The server ends'))).toHaveLength(1);
});

test('a trial’s end is said a day before, and again an hour before', async () => {
  const core = await start();
  const ends = async (left: number) => {
    const at = new Date(trialEnd - left).getTime();
    vi.setSystemTime(at);
    await core.client.call('serverGroups');
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  const trialEnd = Date.now() + 60 * hour;
  const trialExpiredAt = new Date(trialEnd).toISOString();
  around.answers['/api/server-groups'] = { items: [{ ...groups[0], trialExpiredAt }] };
  for (const left of [30, 23, 20, 0.9, 0.5, -1]) await ends(left * hour);
  vi.useRealTimers();
  expect(titles()).toEqual(['Your trial ends in less than 1 day', 'Your trial ends in less than 1 hour']);
});

test('a connection without a click that failed is said, unless the window shows it', async () => {
  const core = await start();
  notices.attemptFailed('gateway-unreachable');
  const failed = { title: en['connect.failed'], text: en['reason.gatewayUnreachable'] };
  expect(told).toEqual([failed]);
  isInFront = true;
  notices.attemptFailed('gateway-unreachable');
  isInFront = false;
  core.behaviour.set({ notifications: false });
  notices.attemptFailed('gateway-unreachable');
  expect(told).toEqual([failed]);
});

test('whoever wants none gets none', async () => {
  const core = await start();
  core.behaviour.set({ notifications: false });
  await askForPlan(core, 5 * hour);
  around.helper.set(connected);
  around.helper.set({ state: 'disconnected', reason: 'trial-ended' });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ reason: 'trial-ended' }));
  expect(told).toEqual([]);
});

test('a newer release is said once, also over a restart, and an older one, the same, or none, is not', async () => {
  const links = Object.fromEntries(linkNames.map((name) => [name, 'https://vpn.example.net/']));
  const ask = async (core: Core, latestVersion?: string) => {
    around.answers['/api/basic-info'] = { links, latestVersion };
    expect(await core.client.call('basicInfo')).toMatchObject({ ok: true });
  };
  const first = await start();
  for (const latest of [undefined, '1.2.3', '1.2.2', '0.9.9']) await ask(first, latest);
  expect(titles()).toEqual([]);
  await ask(first, '1.10.0');
  await ask(first, '1.10.0');
  expect(titles()).toEqual(['Waymaker 1.10.0 is available']);
  first.close();
  const second = await start();
  await ask(second, '1.10.0');
  expect(second.update.version()).toBe('1.10.0');
  expect(titles()).toHaveLength(1);
  await ask(second, '2.0.0');
  expect(titles().at(-1)).toBe('Waymaker 2.0.0 is available');
});

test('a newer release is asked for once a day, also if the computer sleeps for most of it', async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    shouldAdvanceTime: true,
  });
  const links = Object.fromEntries(linkNames.map((name) => [name, 'https://vpn.example.net/']));
  around.answers['/api/basic-info'] = { links, latestVersion: '1.10.0' };
  await start();
  await vi.advanceTimersByTimeAsync(3 * 60_000);
  expect(titles()).toEqual([]);
  vi.setSystemTime(Date.now() + 24 * hour);
  await vi.advanceTimersByTimeAsync(3 * 60_000);
  await vi.waitFor(() => expect(titles()).toEqual(['Waymaker 1.10.0 is available']));
});

test('where the app has updates of its own, a version is said once it is ready, once, and only to who looks elsewhere', async () => {
  const view: UpdateView = {
    state: { kind: 'ready', version: '1.3.0', held: null },
    failedVersion: null,
    endsTunnel: true,
    reopens: true,
  };
  const listeners: ((now: UpdateView) => void)[] = [];
  const core = await start({ view: () => view, onChange: (listener) => void listeners.push(listener) });
  const tell = (state: UpdateView['state']) => {
    view.state = state;
    for (const listener of listeners) listener(view);
  };
  const links = Object.fromEntries(linkNames.map((name) => [name, 'https://vpn.example.net/']));
  around.answers['/api/basic-info'] = { links, latestVersion: '1.3.0' };
  await core.client.call('basicInfo');
  tell({ kind: 'downloading', version: '1.3.0', received: 1, size: 2 });
  expect(titles()).toEqual([]);
  isInFront = true;
  tell({ kind: 'ready', version: '1.3.0', held: null });
  expect(titles()).toEqual([]);
  isInFront = false;
  tell({ kind: 'ready', version: '1.3.0', held: null });
  tell({ kind: 'ready', version: '1.3.0', held: 'not-started' });
  expect(titles()).toEqual(['Waymaker 1.3.0 is ready']);
  tell({ kind: 'ready', version: '1.4.0', held: null });
  expect(titles().at(-1)).toBe('Waymaker 1.4.0 is ready');
});

test('where a package manager brings updates, a version is said once it is available, and again once it is installed', async () => {
  const listeners: ((now: UpdateView | null) => void)[] = [];
  let view: UpdateView | null = null;
  const core = await start({ view: () => view, onChange: (listener) => void listeners.push(listener) });
  const links = Object.fromEntries(linkNames.map((name) => [name, 'https://vpn.example.net/']));
  around.answers['/api/basic-info'] = { links, latestVersion: '1.3.0' };
  await core.client.call('basicInfo');
  expect(titles()).toEqual(['Waymaker 1.3.0 is available']);
  const state = { kind: 'installed', version: '1.3.0' } as const;
  const installed: UpdateView = { state, failedVersion: null, endsTunnel: false, reopens: true };
  view = installed;
  for (let times = 0; times < 2; times += 1) for (const listener of listeners) listener(installed);
  expect(titles()).toEqual(['Waymaker 1.3.0 is available', 'Waymaker 1.3.0 is installed']);
  expect(shown.has('update')).toBe(true);
  view = null;
  for (const listener of listeners) listener(null);
  expect(shown.has('update'), 'once it is taken back').toBe(false);
});
