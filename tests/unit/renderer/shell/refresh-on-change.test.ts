import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import type { AccountChange } from '#shared/api/events.ts';
import type { Host } from '#shared/host/contract.ts';
import { refreshOnChange } from '../../../../src/renderer/shell/refresh-on-change.ts';

afterEach(() => vi.unstubAllGlobals());

test.each(['followed', 'changed'] as const)(
  'a hidden page that hears "%s" asks again when it becomes visible, once',
  async (heard) => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
    vi.stubGlobal('document', page);
    const told: { followed?: () => void; changed?: (changes: AccountChange[]) => void } = {};
    const host = {
      account: {
        followed: (listener: () => void) => (told.followed = listener),
        changed: (listener: (changes: AccountChange[]) => void) => (told.changed = listener),
      },
      storage: { set: () => Promise.resolve(true) },
    } as unknown as Pick<Host, 'account' | 'storage'>;
    const queries = new QueryClient();
    let asked = 0;
    refreshOnChange(host, queries);
    new QueryObserver(queries, {
      queryKey: ['myService'],
      queryFn: () => Promise.resolve((asked += 1)),
      staleTime: 3_600_000,
    }).subscribe(() => undefined);
    await expect.poll(() => queries.getQueryData(['myService'])).toBe(1);
    for (let times = 0; times < 3; times += 1)
      if (heard === 'followed') told.followed?.();
      else told.changed?.(['entitlement']);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect(asked).toBe(1);
    page.visibilityState = 'visible';
    page.dispatchEvent(new Event('visibilitychange'));
    await expect.poll(() => queries.getQueryData(['myService'])).toBe(2);
    page.dispatchEvent(new Event('visibilitychange'));
    expect(asked).toBe(2);
  },
);
