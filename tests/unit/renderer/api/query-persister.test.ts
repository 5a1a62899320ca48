import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '#shared/host/contract.ts';
import { queryPersister, storageKeyOf } from '../../../../src/renderer/api/query-persister.ts';

const hour = 60 * 60 * 1000;
const key = 'myService';

let stored: Map<string, string>;
let storageWorks: boolean;
let failures: number;
let stop: (() => void) | undefined;

const storage: Host['storage'] = {
  get: (name) => Promise.resolve(stored.get(name) ?? null),
  set: ({ key: name, value }) => {
    if (storageWorks) stored.set(name, value);
    return Promise.resolve(storageWorks);
  },
  remove: (name) => Promise.resolve(stored.delete(name)),
  clear: () => Promise.resolve(true),
};

const persister = () =>
  queryPersister<string>({
    storage,
    key,
    read: (value) => (typeof value === 'string' ? value : undefined),
    onStorageFailure: () => (failures += 1),
  });

/** A query as a page that was just loaded makes it, with answers that last an hour. */
function watch(fetch: () => Promise<string>, client = new QueryClient()) {
  const observer = new QueryObserver<string>(client, {
    queryKey: ['x'],
    queryFn: fetch,
    staleTime: hour,
    retry: false,
    persister: persister(),
  });
  stop = observer.subscribe(() => undefined);
  return observer;
}

const settle = () => vi.advanceTimersByTimeAsync(100);

beforeEach(() => {
  vi.useFakeTimers({ now: 10 * hour });
  stored = new Map();
  storageWorks = true;
  failures = 0;
});
afterEach(() => {
  stop?.();
  vi.useRealTimers();
});

describe('a persisted query', () => {
  test('stores what it fetched, and begins with it after a restart, without asking while it is fresh', async () => {
    watch(() => Promise.resolve('first'));
    await settle();
    stop?.();
    await vi.advanceTimersByTimeAsync(hour - 1000);
    const fetch = vi.fn(() => Promise.resolve('second'));
    const observer = watch(fetch);
    await settle();
    expect(observer.getCurrentResult().data).toBe('first');
    expect(fetch).not.toHaveBeenCalled();
  });

  test('stores no answer that comes after its account has signed out', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const client = new QueryClient();
    watch(() => promise, client);
    await settle();
    client.clear();
    resolve('of the account before');
    await settle();
    expect(stored).toEqual(new Map());
  });

  test('keeps its true age: what was stored an hour ago is asked for again', async () => {
    stored.set(key, JSON.stringify({ data: 'old', at: Date.now() - hour }));
    const observer = watch(() => Promise.resolve('new'));
    await settle();
    expect(observer.getCurrentResult().data).toBe('new');
    expect(stored.get(key)).toContain('new');
  });

  test('shows the old answer while the service cannot be reached', async () => {
    stored.set(key, JSON.stringify({ data: 'old', at: Date.now() - 50 * hour }));
    const observer = watch(() => Promise.reject(new Error('down')));
    await settle();
    expect(observer.getCurrentResult()).toMatchObject({ data: 'old', isError: true });
  });

  test.each([
    ['garbage', '{'],
    ['data of another shape', JSON.stringify({ data: 7, at: 10 * hour })],
    ['data without an age', JSON.stringify({ data: 'old' })],
  ])('does not use %s', async (_, text) => {
    stored.set(key, text);
    const observer = watch(() => Promise.resolve('new'));
    await settle();
    expect(observer.getCurrentResult().data).toBe('new');
  });

  test('does not trust an answer from the future for longer than a moment', async () => {
    stored.set(key, JSON.stringify({ data: 'old', at: Date.now() + 1000 * hour }));
    const observer = watch(() => Promise.resolve('new'));
    await settle();
    expect(observer.getCurrentResult().data).toBe('new');
  });

  test('works without storage, and says that it failed', async () => {
    storageWorks = false;
    const observer = watch(() => Promise.resolve('new'));
    await settle();
    expect(observer.getCurrentResult().data).toBe('new');
    expect(failures).toBe(1);
  });
});

test('answers are stored under the keys of the specification, and others not at all', () => {
  expect(storageKeyOf('userInfo')).toBe('user');
  expect(storageKeyOf('basicInfo')).toBe('basicInfo');
  expect(storageKeyOf('myService')).toBe('myService');
  expect(storageKeyOf('translations', { lang: 'zh-hant' })).toBe('translations:zh-hant');
  expect(storageKeyOf('translations', { lang: '../token' })).toBeUndefined();
  expect(storageKeyOf('trafficStats')).toBeUndefined();
});
