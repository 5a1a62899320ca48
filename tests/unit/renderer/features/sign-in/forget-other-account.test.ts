import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test } from 'vitest';
import { restoreQueries } from '../../../../../src/renderer/api/restore-queries.ts';
import { forgetOtherAccount } from '../../../../../src/renderer/features/sign-in/forget-other-account.ts';
import { createPageStorage } from '../../../../../src/renderer/platform/storage/browser-storage.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

const stored = (data: unknown) => JSON.stringify({ data, at: Date.now() });
const user = { email: 'ada@example.com', profile: { level: 2, firstOrderDone: true, seatsUsed: 1 } };
const service = { serviceId: 's', expiredAt: null, seats: 0, service: 'Yearly' };
const groups = { items: [] };

let memory: MemoryStorage;
let queries: QueryClient;
beforeEach(() => {
  memory = new MemoryStorage();
  queries = new QueryClient();
});

const asyncStorage = () => {
  const page = createPageStorage(memory);
  return {
    get: (key: string) => Promise.resolve(page.get(key)),
    set: (input: { key: string; value: string }) => Promise.resolve(page.set(input)),
    remove: (key: string) => Promise.resolve(page.remove(key)),
    clear: () => Promise.resolve(page.clear()),
  };
};

/** A page is opened, where nobody is signed in, and somebody types a code that was mailed to this address. */
async function signInAs(email: string): Promise<boolean> {
  const storage = asyncStorage();
  await restoreQueries(queries, storage, 'en');
  return await forgetOtherAccount(queries, storage, email);
}

test('what an account has left behind is not shown to the next one', async () => {
  memory.setItem('deviceId', 'ours');
  memory.setItem('user', stored(user));
  memory.setItem('myService', stored(service));
  memory.setItem('serverGroups', stored(groups));
  memory.setItem('keptServers', '{"favourites":["eu-1"],"recents":[]}');
  memory.setItem('translations:en', stored({ 'login.title': 'Welcome' }));
  expect(await signInAs('bob@example.com')).toBe(true);
  for (const name of ['userInfo', 'myService', 'serverGroups']) {
    expect(queries.getQueryData([name]), name).toBeUndefined();
  }
  expect(queries.getQueryData(['translations', { lang: 'en' }])).toBeDefined();
  expect(Object.fromEntries(memory.entries)).toEqual({ deviceId: 'ours' });
});

test('what is there without saying whose it is is not shown either', async () => {
  memory.setItem('user', 'damaged');
  memory.setItem('myService', stored(service));
  expect(await signInAs('ada@example.com')).toBe(true);
  expect(queries.getQueryData(['myService'])).toBeUndefined();
  expect(memory.length).toBe(0);
});

test('whoever signs in again finds everything as it was', async () => {
  memory.setItem('user', stored(user));
  memory.setItem('serverGroups', stored(groups));
  const before = new Map(memory.entries);
  expect(await signInAs('Ada@Example.com')).toBe(true);
  expect(queries.getQueryData(['userInfo'])).toEqual(user);
  expect(memory.entries).toEqual(before);
});

test('where nothing is known about anybody, nothing else is dropped', async () => {
  memory.setItem('lastEmail', 'bob@example.com');
  expect(await signInAs('bob@example.com')).toBe(true);
  expect(memory.getItem('lastEmail')).toBe('bob@example.com');
});

test('a storage that cannot be cleared is reported', async () => {
  queries.setQueryData(['userInfo'], user);
  const storage = { clear: () => Promise.reject(new Error('no answer')) };
  expect(await forgetOtherAccount(queries, storage, 'bob@example.com')).toBe(false);
  expect(queries.getQueryData(['userInfo'])).toBeUndefined();
});
