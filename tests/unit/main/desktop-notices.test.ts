import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from '../../../src/main/core.ts';
import { createDesktopNotices, type Notice } from '../../../src/main/desktop-notices.ts';
import { connected, createTestSurroundings, type TestSurroundings } from './support/surroundings.ts';

const hour = 3_600_000;

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
