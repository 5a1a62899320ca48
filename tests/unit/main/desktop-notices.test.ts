import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { basicInfo } from '#shared/entities.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../../../src/main/core.ts';
import { createDesktopNotices, type Notice } from '../../../src/main/desktop-notices.ts';
import { connected, createTestSurroundings, type TestSurroundings } from './support/surroundings.ts';

const hour = 3_600_000;
const linkNames = Object.keys(basicInfo.shape.links.shape);

let around: TestSurroundings;
let told: Notice[];
let isInFront: boolean;
const titles = () => told.map(({ title }) => title);

beforeEach(async () => {
  around = await createTestSurroundings();
  told = [];
  isInFront = false;
});
afterEach(() => around[Symbol.asyncDispose]());

async function start(): Promise<Core> {
  const core = around.startCore();
  createDesktopNotices({
    core,
    say: createSay('en'),
    isInFront: () => isInFront,
    notify: (notice) => told.push(notice),
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

test('whoever wants none gets none', async () => {
  const core = await start();
  core.behaviour.set({ notifications: false });
  await askForPlan(core, 5 * hour);
  around.helper.set(connected);
  around.helper.set({ state: 'disconnected', reason: 'trial-ended' });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ reason: 'trial-ended' }));
  expect(told).toEqual([]);
});

test('a newer release is said once, also over a restart; an older one, the same, or none, is not', async () => {
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
