import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test } from 'vitest';
import type { Host } from '#shared/host/contract.ts';
import { restoreQueries } from '../../../../src/renderer/api/restore-queries.ts';

const user = {
  email: 'ada@example.com',
  profile: { level: 2, firstOrderDone: true, seatsUsed: 1 },
};
const hourAgo = Date.now() - 60 * 60 * 1000;
const entry = (data: unknown, at = hourAgo) => JSON.stringify({ data, at });

let stored: Record<string, string>;
let queries: QueryClient;
beforeEach(() => {
  stored = {};
  queries = new QueryClient();
});

const storage = (get: Host['storage']['get']): Host['storage'] => ({
  get,
  set: () => Promise.resolve(true),
  remove: () => Promise.resolve(true),
  clear: () => Promise.resolve(true),
});
const restore = () =>
  restoreQueries(
    queries,
    storage((key) => Promise.resolve(stored[key] ?? null)),
    'zh-hant',
  );
const keys = () =>
  queries
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey);

test('what pages begin with is there, as old as it is', async () => {
  stored = {
    user: entry(user),
    'translations:zh-hant': entry({ 'login.title': '歡迎' }),
    'translations:en': entry({ 'login.title': 'Welcome' }),
    token: 'secret',
  };
  await restore();
  expect(queries.getQueryData(['userInfo'])).toEqual(user);
  expect(queries.getQueryState(['userInfo'])?.dataUpdatedAt).toBe(hourAgo);
  expect(queries.getQueryData(['translations', { lang: 'zh-hant' }])).toEqual({ 'login.title': '歡迎' });
  expect(keys()).toHaveLength(2);
});

test('what comes from the future is of unknown age, so old', async () => {
  stored = { user: entry(user, Date.now() + 1_000_000) };
  await restore();
  expect(queries.getQueryState(['userInfo'])?.dataUpdatedAt).toBe(0);
});

test.each([
  ['garbage', '{'],
  ['data of another shape', entry({ email: 7 })],
  ['data without an age', JSON.stringify({ data: user })],
])('%s is as good as nothing', async (_, text) => {
  stored = { user: text };
  await restore();
  expect(keys()).toEqual([]);
});

test('a storage that fails keeps no page from being shown', async () => {
  await restoreQueries(
    queries,
    storage(() => Promise.reject(new Error('storage failed'))),
    'en',
  );
  expect(keys()).toEqual([]);
});
