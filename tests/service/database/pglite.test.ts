import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import { askFor, basic } from '../abuse/ask.ts';
import { newPerson } from '../abuse/people.ts';
import { rules } from '../abuse/rules.ts';
import { readEvents } from '../events/event-reader.ts';
import {
  callNames,
  grantPlan,
  newEmail,
  newEnvironment,
  signedIn,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

/** What PGlite does in its own way, and that nothing waits there for the only connection. */

const routeLists = path.resolve(import.meta.dirname, '../../fixtures/route-lists');
let environment: NodeJS.ProcessEnv;
let running: TestService;
beforeAll(async () => {
  environment = { ...(await newEnvironment('pglite')), WAYMAKER_ROUTE_LISTS: routeLists };
  running = await startTestService({ environment });
});
afterAll(() => running[Symbol.asyncDispose]());

test('each call is answered for its owner', async () => {
  const payer = () => newPerson(running.service.database, 2, running.clock.now());
  const answers: Record<string, number> = {};
  for (const name of callNames) {
    const self = await payer();
    answers[name] = (await askFor(running, name, self, basic(self.deviceId, self.token))).status;
  }
  expect(answers).toEqual(Object.fromEntries(callNames.map((name) => [name, rules[name].own[1]])));
});

test('a job is added with its transaction, or not at all', async () => {
  const { database, jobs } = running.service;
  const seen: number[] = [];
  const add = await jobs.queue<{ number: number }>('numbers', async ({ number }) => {
    seen.push(number);
  });
  const undone = database.transaction(async (transaction) => {
    await add(transaction, { number: 1 });
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await database.transaction((transaction) => add(transaction, { number: 2 }));
  await expect.poll(() => seen).toEqual([2]);
});

test('events say what has changed to whom it concerns, and end with the session', async () => {
  const email = newEmail();
  const device = await signedIn(running, email);
  await using stream = await readEvents(running.url, device);
  const stranger = await signedIn(running, newEmail());
  await using others = await readEvents(running.url, stranger);
  await grantPlan(running, email);
  await expect.poll(() => stream.events).toContain('entitlement');
  await signedIn(running, email);
  await expect.poll(() => stream.events).toContain('devices');
  expect(others.events).not.toContain('entitlement');

  running.clock.advance({ hours: 24 * 89 });
  await stranger.client.call('userInfo');
  running.clock.advance({ hours: 24 * 2 });
  await running.service.jobs.doNow(jobNames.idleDevices);
  await stream.over;
  expect(stream.events.at(-1)).toBe('end signed-out');
  expect(others.isOver).toBe(false);
});

test('the directory of PGlite is one service’s only, and a restart loses nothing', async () => {
  const device = await signedIn(running, newEmail());
  const account = async (one: TestDevice) => [
    await one.client.call('userInfo'),
    await one.client.call('myService'),
  ];
  const before = await account(device);
  await expect(startTestService({ environment })).rejects.toThrow('is used by another process');
  expect(await account(device)).toEqual(before);
  await running.service.close();
  running = await startTestService({ environment, clock: running.clock });
  expect(await account(new TestDevice(running, device))).toEqual(before);
  expect(before).toMatchObject([{ ok: true }, { ok: true }]);
});
