import { beforeEach, expect, test } from 'vitest';
import type { Session } from '#shared/host/common-contract.ts';
import { createInPageTransport } from '../../../../../src/renderer/platform/in-page-transport.ts';
import { followOtherTabs } from '../../../../../src/renderer/platform/web/follow-other-tabs.ts';
import { createWebClient, webContract } from '../../../../../src/renderer/platform/web/web-contract.ts';
import { createWebHost } from '../../../../../src/renderer/platform/web/web-host.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

let storage: MemoryStorage;
let told: Session[];
let reloads: number;
let page: EventTarget;

beforeEach(async () => {
  storage = new MemoryStorage();
  storage.setItem('token', 'of-ann');
  [told, reloads] = [[], 0];
  page = Object.assign(new EventTarget(), { location: { reload: () => (reloads += 1) } });
  const transport = createInPageTransport(webContract, (emit) => {
    const host = createWebHost({
      baseUrl: 'https://service.example',
      storage,
      isKept: true,
      device: { name: '', platform: 'web', arch: '', version: '', lang: 'en', timezone: 'UTC' },
      emit,
      followEvents: () => ({ restart: () => undefined }),
      newDeviceId: () => '00000000-0000-4000-8000-000000000001',
      openExternal: () => true,
      fetch: () => Promise.reject(new Error('there is no service')),
    });
    followOtherTabs(host, page as unknown as Window);
    return host;
  });
  const host = createWebClient(transport);
  host.session.changed((session) => told.push(session));
  expect(await host.session.get()).toMatchObject({ signedIn: true });
});

const shown = (persisted: boolean) => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));

test('a page that the browser has kept is signed out with the tab that has signed out meanwhile', async () => {
  storage.removeItem('token');
  shown(true);
  expect(told).toMatchObject([{ signedIn: false }]);
  expect(reloads).toBe(0);
});

test('a page that the browser has kept begins anew where somebody else has signed in meanwhile', () => {
  storage.setItem('token', 'of-ben');
  shown(true);
  expect([told, reloads]).toEqual([[], 1]);
});

test('a page that the browser has kept stays as it is where nobody has signed in or out', () => {
  shown(true);
  expect(told.every(({ signedIn }) => signedIn)).toBe(true);
  expect(reloads).toBe(0);
});

test('a page that is loaded has read what there is, and looks no second time', () => {
  storage.setItem('token', 'of-ben');
  shown(false);
  expect([told, reloads]).toEqual([[], 0]);
});
