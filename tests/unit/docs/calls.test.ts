import { apiCalls } from '#shared/api/calls.ts';
import { expect, test } from 'vitest';
import { readPage, tableRows } from './markdown.ts';

const hour = 3600;
const lifetimes: Record<string, number> = {
  '': 0,
  '1 h': hour,
  '24 h': 24 * hour,
  '7 days': 7 * 24 * hour,
  '30 days': 30 * 24 * hour,
};

test('the specification has the calls that there are', () => {
  const documented = tableRows(readPage('docs/specification.md'))
    .filter(([call]) => /^`[A-Z]+ \/api\//.test(call ?? ''))
    .map(([call = '', , signedIn, keptFor = '']) => [
      call.replaceAll('`', ''),
      { auth: signedIn === 'yes', cacheSeconds: lifetimes[keptFor] },
    ]);
  const calls = Object.values(apiCalls).map(({ method, path, auth, cacheSeconds }) => [
    `${method} ${path}`,
    { auth, cacheSeconds },
  ]);
  expect(documented.length).toBe(calls.length);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(calls));
});
