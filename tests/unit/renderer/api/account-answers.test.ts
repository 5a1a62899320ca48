import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { refreshLoaded } from '../../../../src/renderer/api/account-answers.ts';

test('what this page has loaded about the account is loaded again, and nothing else', async () => {
  // As in a browser that has read the clock before somebody set it back.
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() + 60_000);
  const queries = new QueryClient();
  const asked: string[] = [];
  const { promise: answer, resolve } = Promise.withResolvers<string>();
  const show = (name: string, result: Promise<string>) =>
    new QueryObserver(queries, {
      queryKey: [name],
      queryFn: () => (asked.push(name), result),
      staleTime: Infinity,
    }).subscribe(() => undefined);
  // Long before: what is tested may have been loaded by another file’s tests, minutes ago.
  const earlier = { updatedAt: 1 };
  queries.setQueryData(['userInfo'], 'stored by an earlier page', earlier);
  show('userInfo', Promise.resolve('fetched'));
  show('myService', Promise.resolve('fetched'));
  show('basicInfo', Promise.resolve('fetched'));
  show('devices', answer);
  await expect.poll(() => queries.getQueryData(['myService'])).toBe('fetched');
  expect(asked.splice(0)).toEqual(['myService', 'basicInfo', 'devices']);

  const refreshed = refreshLoaded(queries);
  resolve('comes anyway');
  await refreshed;
  expect(asked).toEqual(['myService']);
  expect(queries.getQueryData(['devices'])).toBe('comes anyway');
});
