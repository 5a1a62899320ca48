import { expect, test, vi } from 'vitest';
import type { ApiResult } from '#shared/api/result.ts';
import type { RenewingApiClient } from '#shared/api/client.ts';
import { cacheSeconds } from '#shared/constants.ts';
import { defaultPreferences, type AddressChoice } from '#shared/host/preferences.ts';
import { createAddressLists } from '../../../../src/main/preferences/address-lists.ts';
import { createPreferences } from '../../../../src/main/preferences/preferences.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile, createTestTextFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';
import { wholePreferences } from '../support/whole-preferences.ts';

const global = { mode: 'global', localNetwork: false };

/** A service with lists by country, which is out of reach while there is no network. */
function start({ file = createTestTextFile(), settings = createTestFile(), canRouteByAddress = true } = {}) {
  const service: Record<string, string[]> = { cn: ['203.0.113.0/24', 'nonsense'], de: ['198.51.100.0/24'] };
  const asked: string[] = [];
  const network = { isThere: true };
  const renew = (
    _name: string,
    { params, etag }: { params: { country: string }; etag: string | undefined },
  ) => {
    asked.push(`${params.country} ${etag ?? ''}`.trim());
    const items = service[params.country];
    if (!network.isThere) return Promise.resolve({ ok: false, failure: { kind: 'network' } });
    if (!items) return Promise.resolve({ ok: false, failure: { kind: 'service', code: 404, msg: '' } });
    const tag = items.join();
    const data = tag === etag ? { isChanged: false } : { isChanged: true, data: { items }, etag: tag };
    return Promise.resolve({ ok: true, data } as ApiResult<unknown>);
  };
  const { log, text } = createTestLog();
  const client = { renew } as unknown as Pick<RenewingApiClient, 'renew'>;
  const addressLists = createAddressLists({ file, client, language: () => 'en', log });
  const noLists = {
    current: () => undefined,
    update: () => Promise.resolve({ ok: true } as const),
    forget: () => undefined,
    onChange: () => undefined,
  };
  const preferences = createPreferences({
    settings: createSettings(settings),
    lists: noLists,
    addressLists,
    can: (capability) => capability === 'routing.ip' && canRouteByAddress,
    log,
  });
  const applied: unknown[] = [];
  preferences.subscribe(() => {
    applied.push(wholePreferences(preferences.forTunnel()).routing);
    return Promise.resolve();
  });
  return { service, network, asked, addressLists, preferences, applied, file, settings, log: text };
}

const nothing: AddressChoice = { policy: 'include', countries: [], prefixes: [] };

test('where the helper cannot route by address there is no such choice', async () => {
  const { preferences } = start({ canRouteByAddress: false });
  expect(preferences.get()).toEqual(defaultPreferences);
  expect(await preferences.set({ routing: 'address' })).toEqual({ ok: false, error: 'not-applied' });
  expect(preferences.get().routing).toBe('global');
});

test('everything is routed until something is chosen, and then the lists and the prefixes of the user’s own', async () => {
  const { preferences, applied, asked, file, settings, log } = start();
  expect(preferences.get().addresses).toEqual(nothing);
  expect(await preferences.set({ routing: 'address' })).toEqual({ ok: true });
  const addresses = { policy: 'exclude' as const, countries: ['cn', 'de'], prefixes: ['192.0.2.0/24'] };
  expect(await preferences.set({ addresses })).toEqual({ ok: true });
  const routed = {
    mode: 'ip',
    policy: 'exclude',
    routeIps: ['203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24'],
    localNetwork: false,
  };
  expect(applied.at(0)).toEqual(global);
  expect(applied.at(-1)).toEqual(routed);
  expect(asked).toEqual(['cn', 'de']);
  expect(log()).toContain('no prefixes');

  const again = start({ file, settings });
  expect(wholePreferences(again.preferences.forTunnel()).routing).toEqual(routed);
  await again.preferences.refreshLists();
  expect(again.asked).toEqual([]);
});

test('a list that cannot be had changes nothing, and says so', async () => {
  const { preferences, applied } = start();
  await preferences.set({ routing: 'address' });
  const reply = await preferences.set({ addresses: { ...nothing, countries: ['fr'] } });
  expect(reply).toEqual({ ok: false, error: 'no-lists', failure: { kind: 'service', code: 404, msg: '' } });
  expect(preferences.get().addresses).toEqual(nothing);
  expect(applied).toEqual([global]);
});

test('lists that are old are asked for by their tags, and what is new is applied', async () => {
  const { preferences, applied, asked, service } = start();
  await preferences.set({ routing: 'address', addresses: { ...nothing, countries: ['de'] } });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + cacheSeconds.ipList * 1000 + 1 });
  try {
    await preferences.refreshLists();
    expect(asked).toEqual(['de', 'de 198.51.100.0/24']);
    expect(applied).toHaveLength(1);
    vi.setSystemTime(Date.now() + cacheSeconds.ipList * 1000 + 1);
    service['de'] = ['192.0.2.0/24'];
    await preferences.refreshLists();
    await vi.waitFor(() => expect(applied.at(-1)).toMatchObject({ routeIps: ['192.0.2.0/24'] }));
  } finally {
    vi.useRealTimers();
  }
});

test('a list that the service does not have any more does not keep the others old', async () => {
  const { preferences, applied, service, log } = start();
  await preferences.set({ routing: 'address', addresses: { ...nothing, countries: ['cn', 'de'] } });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + cacheSeconds.ipList * 1000 + 1 });
  try {
    delete service['cn'];
    service['de'] = ['192.0.2.0/24'];
    await preferences.refreshLists();
    await vi.waitFor(() =>
      expect(applied.at(-1)).toMatchObject({ routeIps: ['203.0.113.0/24', '192.0.2.0/24'] }),
    );
    expect(log()).toContain('cannot be brought up to date');
  } finally {
    vi.useRealTimers();
  }
});

test('without a network, the service is asked for one list, and not for the others in turn', async () => {
  const { preferences, asked, network } = start();
  await preferences.set({ routing: 'address' });
  network.isThere = false;
  const reply = await preferences.set({ addresses: { ...nothing, countries: ['cn', 'de'] } });
  expect(reply).toEqual({ ok: false, error: 'no-lists', failure: { kind: 'network' } });
  expect(asked).toEqual(['cn']);
});

test('more prefixes than the helper takes are refused, and a sign-out forgets all', async () => {
  const { preferences, service, addressLists, file } = start();
  service['cn'] = Array.from(
    { length: 200_001 },
    (_, index) => `${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}.0/24`,
  );
  await preferences.set({ routing: 'address' });
  expect(await preferences.set({ addresses: { ...nothing, countries: ['cn'] } })).toEqual({
    ok: false,
    error: 'not-applied',
  });
  expect(addressLists.lists(['cn'])?.routeIps).toHaveLength(200_001);
  addressLists.forget();
  expect(addressLists.lists(['cn'])).toBeUndefined();
  expect(file.text).toBeUndefined();
});
