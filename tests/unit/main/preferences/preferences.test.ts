import { describe, expect, test, vi } from 'vitest';
import { defaultPreferences, type Preferences } from '#shared/host/preferences.ts';
import {
  createPreferences,
  type PreferenceCapability,
} from '../../../../src/main/preferences/preferences.ts';
import type {
  DomainLists,
  RouteLists,
  RouteListsUpdate,
} from '../../../../src/main/preferences/route-lists.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';
import { wholePreferences } from '../support/whole-preferences.ts';

const pac = { routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
const later = { routeDomains: ['later.example'], blockedDomains: [] };

/** Lists that a test gives and changes. */
class TestLists implements RouteLists {
  known: DomainLists | undefined;
  updates = 0;
  answer: () => Promise<RouteListsUpdate> = () => {
    this.become(pac);
    return Promise.resolve({ ok: true });
  };
  #listeners: (() => void)[] = [];
  current = () => this.known;
  update = () => {
    this.updates += 1;
    return this.answer();
  };
  forget = () => this.become(undefined);
  onChange = (listener: () => void) => void this.#listeners.push(listener);
  become(lists: DomainLists | undefined) {
    this.known = lists;
    for (const listener of this.#listeners) listener();
  }
}

/** `apply`: what comes of each change in turn; the rest succeeds. */
function start({
  file = createTestFile(),
  apply = [] as Promise<void>[],
  capabilities = ['routing.pac'] as PreferenceCapability[],
  known = undefined as DomainLists | undefined,
} = {}) {
  const lists = new TestLists();
  lists.known = known;
  const preferences = createPreferences({
    settings: createSettings(file),
    lists,
    can: (capability) => capabilities.includes(capability),
    log: createTestLog().log,
  });
  const applied: unknown[] = [];
  const changes: Preferences[] = [];
  preferences.subscribe(() => {
    applied.push(wholePreferences(preferences.forTunnel()));
    return apply.shift() ?? Promise.resolve();
  });
  preferences.onChange((now) => changes.push(now));
  return { preferences, lists, applied, changes, file };
}

const global = { routing: { mode: 'global', localNetwork: false }, killSwitch: false };
const byLists = { routing: { mode: 'pac', ...pac }, killSwitch: false };
const refused = () => Promise.reject(new Error('refused'));

test('spec §4: global by default, and both switches are off until the user switches them on', () => {
  const { preferences } = start();
  expect(preferences.get()).toEqual(defaultPreferences);
  expect(wholePreferences(preferences.forTunnel())).toEqual(global);
});

describe.each([{ killSwitch: true }, { localNetwork: true }, { routing: 'automatic' }] as const)(
  '%o',
  (change) => {
    test('holds for a tunnel that is up, for later ones and over restarts, and is told', async () => {
      const { preferences, applied, changes, file, lists } = start();
      const now = { ...defaultPreferences, ...change };
      expect(await preferences.set(change)).toEqual({ ok: true });
      expect(applied).toEqual([wholePreferences(preferences.forTunnel())]);
      expect(changes).toEqual([now]);
      const again = start({ file, known: lists.known });
      expect(again.preferences.get()).toEqual(now);
      expect(wholePreferences(again.preferences.forTunnel())).toEqual(
        wholePreferences(preferences.forTunnel()),
      );
      expect(wholePreferences(preferences.forTunnel())).not.toEqual(global);
    });

    test('chosen again disturbs nothing', async () => {
      const { preferences, applied, changes } = start();
      await preferences.set(change);
      expect(await preferences.set(change)).toEqual({ ok: true });
      expect(applied).toHaveLength(1);
      expect(changes).toHaveLength(1);
    });

    test('is taken back when the helper refuses, over restarts too', async () => {
      const { preferences, changes, file } = start({ apply: [refused()] });
      expect(await preferences.set(change)).toEqual({ ok: false, error: 'not-applied' });
      expect(preferences.get()).toEqual(defaultPreferences);
      expect(start({ file }).preferences.get()).toEqual(defaultPreferences);
      expect(changes).toEqual([]);
    });

    test('that cannot be stored is not applied either', async () => {
      const { preferences, applied, changes, file } = start();
      file.set = () => {
        throw new Error('ENOSPC');
      };
      expect(await preferences.set(change)).toEqual({ ok: false, error: 'not-stored' });
      expect(applied).toEqual([]);
      expect(changes).toEqual([]);
      expect(preferences.get()).toEqual(defaultPreferences);
      // The disk takes something again.
      file.set = (name, value) => void file.content.set(name, value);
      expect(await preferences.set(change)).toEqual({ ok: true });
    });
  },
);

test('several at once are one change, and are taken back as one', async () => {
  const { preferences, applied } = start({ apply: [refused()] });
  const both = { killSwitch: true, localNetwork: true };
  expect(await preferences.set(both)).toEqual({ ok: false, error: 'not-applied' });
  expect(preferences.get()).toEqual(defaultPreferences);
  expect(await preferences.set(both)).toEqual({ ok: true });
  expect(applied).toHaveLength(2);
});

test('a change that fails late does not take back a later one, whichever each of them is', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { preferences } = start({ apply: [promise], known: pac });
  const changes = [{ killSwitch: true }, { localNetwork: true }, { killSwitch: true }].map((change) =>
    preferences.set(change),
  );
  reject(new Error('refused'));
  expect(await Promise.all(changes)).toEqual([
    { ok: false, error: 'not-applied' },
    { ok: true },
    { ok: true },
  ]);
  expect(preferences.get()).toEqual({ routing: 'global', killSwitch: true, localNetwork: true });
});

describe('automatic routing', () => {
  test("spec §8: 'failed to get PAC config' leaves everything as it was", async () => {
    const { preferences, lists, applied } = start();
    lists.answer = () => Promise.resolve({ ok: false, failure: { kind: 'network' } });
    expect(await preferences.set({ routing: 'automatic' })).toEqual({
      ok: false,
      error: 'no-lists',
      failure: { kind: 'network' },
    });
    expect(preferences.get()).toEqual(defaultPreferences);
    expect(applied).toEqual([]);
  });

  test('is refused with lists that nobody could route by, and by a helper that has no lists', async () => {
    const { preferences, lists } = start();
    lists.answer = () => Promise.resolve({ ok: false, failure: 'too-long' });
    const notApplied = { ok: false, error: 'not-applied' };
    expect(await preferences.set({ routing: 'automatic' })).toEqual(notApplied);
    const without = start({ capabilities: [] });
    expect(await without.preferences.set({ routing: 'automatic' })).toEqual(notApplied);
    expect(without.lists.updates).toBe(0);
  });

  test('does not take back a choice that was made while the lists were asked for, nor keep others waiting', async () => {
    const { preferences, lists } = start();
    const answer = Promise.withResolvers<RouteListsUpdate>();
    lists.answer = () => answer.promise;
    const automatic = preferences.set({ routing: 'automatic' });
    expect(await preferences.set({ killSwitch: true })).toEqual({ ok: true });
    expect(await preferences.set({ routing: 'global' })).toEqual({ ok: true });
    lists.known = pac;
    answer.resolve({ ok: true });
    expect(await automatic).toEqual({ ok: true });
    expect(preferences.get()).toEqual({ routing: 'global', killSwitch: true, localNetwork: false });
  });

  test('goes by new lists as soon as there are any, also with a tunnel that is up', async () => {
    const { preferences, lists, applied } = start();
    await preferences.set({ routing: 'automatic' });
    applied.length = 0;
    lists.answer = () => {
      lists.become(later);
      return Promise.resolve({ ok: true });
    };
    await preferences.refreshLists();
    await vi.waitFor(() =>
      expect(applied).toEqual([{ routing: { mode: 'pac', ...later }, killSwitch: false }]),
    );
  });

  test('without any lists sends everything through the tunnel until there are some', async () => {
    const file = createTestFile({ routing: 'automatic' });
    const { preferences, lists, applied } = start({ file });
    expect(preferences.get().routing).toBe('automatic');
    expect(wholePreferences(preferences.forTunnel())).toEqual(global);
    await preferences.refreshLists();
    expect(lists.updates).toBe(1);
    await vi.waitFor(() => expect(applied).toEqual([byLists]));
  });

  test('not chosen asks for nothing', async () => {
    const { preferences, lists, applied } = start();
    await preferences.refreshLists();
    lists.become(later);
    expect(lists.updates).toBe(0);
    expect(applied).toEqual([]);
  });
});

test('local networks with public addresses are for a helper that takes them, while the local network is open', async () => {
  const own = { localNetwork: true, localPrefixes: ['203.0.113.0/24'] };
  expect(await start().preferences.set(own)).toEqual({ ok: false, error: 'not-applied' });
  const { preferences, applied, file } = start({ capabilities: ['routing.pac', 'local-prefixes'] });
  expect(await preferences.set(own)).toEqual({ ok: true });
  expect(applied).toEqual([{ routing: { mode: 'global', ...own }, killSwitch: false }]);
  expect(wholePreferences(start({ file }).preferences.forTunnel()).routing).toEqual({
    mode: 'global',
    localNetwork: true,
  });
  expect(await preferences.set({ localNetwork: false })).toEqual({ ok: true });
  expect(wholePreferences(preferences.forTunnel())).toEqual(global);
  expect(preferences.get()).toMatchObject({ localPrefixes: own.localPrefixes });
});

test('incoming connections are for a helper that can refuse them, which it does until the user wants them', async () => {
  expect(await start().preferences.set({ allowIncoming: true })).toEqual({ ok: false, error: 'not-applied' });
  const { preferences, applied, file } = start({ capabilities: ['incoming'] });
  expect(preferences.get()).toEqual({ ...defaultPreferences, allowIncoming: false });
  expect(await preferences.set({ allowIncoming: true })).toEqual({ ok: true });
  expect(applied).toEqual([{ ...global, allowIncoming: true }]);
  const again = start({ file, capabilities: ['incoming'] });
  expect(again.preferences.forTunnel()).toEqual({ ...global, allowIncoming: true });
});

test('resolvers of the user’s own are for a helper that takes them, and taken back if that fails', async () => {
  const own = { dns: ['192.0.2.53', '2001:db8::53'] };
  const without = start();
  expect(await without.preferences.set(own)).toEqual({ ok: false, error: 'not-applied' });
  const { preferences, applied, file } = start({
    capabilities: ['routing.pac', 'resolvers'],
    apply: [refused()],
  });
  expect(preferences.get()).toEqual({ ...defaultPreferences, dns: [] });
  expect(await preferences.set(own)).toEqual({ ok: false, error: 'not-applied' });
  expect(wholePreferences(preferences.forTunnel())).toEqual(global);
  expect(await preferences.set(own)).toEqual({ ok: true });
  expect(applied.at(-1)).toEqual({ ...global, ownResolvers: own.dns });
  expect(file.content.get('dns')).toEqual(own.dns);
  expect(await preferences.set({ dns: [] })).toEqual({ ok: true });
  expect(wholePreferences(preferences.forTunnel())).toEqual(global);
});

describe('domains of the user’s own', () => {
  const known = {
    routeDomains: ['listed.test', 'site.test', 'a.site.test', 'also-blocked.test'],
    blockedDomains: ['ads.site.test', 'ads.own.test', 'own.test'],
  };

  test('are added to the service’s, and taken from them', async () => {
    const { preferences, applied, lists } = start({ capabilities: ['routing.pac', 'direct-domains'], known });
    expect(preferences.get().domains).toEqual({ through: [], direct: [] });
    await preferences.set({ routing: 'automatic' });
    lists.become(known);
    const domains = { through: ['own.test', 'work.site.test'], direct: ['site.test'] };
    expect(await preferences.set({ domains })).toEqual({ ok: true });
    expect(applied.at(-1)).toMatchObject({
      routing: {
        mode: 'pac',
        routeDomains: ['listed.test', 'also-blocked.test', 'own.test', 'work.site.test'],
        blockedDomains: ['ads.own.test'],
        directDomains: ['site.test'],
      },
    });
    lists.become({ routeDomains: ['b.site.test', 'new.test'], blockedDomains: [] });
    expect(wholePreferences(preferences.forTunnel()).routing).toMatchObject({
      routeDomains: ['new.test', 'own.test', 'work.site.test'],
    });
  });

  test('cannot be had from a helper that does not take them', async () => {
    const { preferences } = start({ known });
    expect(preferences.get()).not.toHaveProperty('domains');
    const domains = { through: ['own.test'], direct: [] };
    expect(await preferences.set({ domains })).toEqual({ ok: false, error: 'not-applied' });
  });
});
