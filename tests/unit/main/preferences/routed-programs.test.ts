import { expect, test } from 'vitest';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { createPreferences } from '../../../../src/main/preferences/preferences.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';

const lists = {
  current: () => undefined,
  update: () => Promise.resolve({ ok: true } as const),
  forget: () => undefined,
  onChange: () => undefined,
};

/** `refuses`: what the helper does not take. */
function start({ file = createTestFile(), canRouteByApp = true } = {}) {
  const done: unknown[] = [];
  const refuses = new Set<'prepare' | 'apply'>();
  const say = (what: 'prepare' | 'apply') => {
    const { routing } = preferences.forTunnel();
    done.push([what, routing.mode === 'app' ? routing.policy : routing.mode]);
    return refuses.has(what) ? Promise.reject(new Error('refused')) : Promise.resolve();
  };
  const preferences = createPreferences({
    settings: createSettings(file),
    lists,
    can: (capability) => capability === 'routing.app' && canRouteByApp,
    log: createTestLog().log,
  });
  preferences.prepareWith(() => say('prepare'));
  preferences.subscribe(() => say('apply'));
  return { preferences, file, done, refuses };
}

const mail = { policy: 'include', ids: ['mail.desktop'] } as const;

test('where the helper cannot route by application there is no such choice', async () => {
  const { preferences } = start({ canRouteByApp: false });
  expect(preferences.get()).toEqual(defaultPreferences);
  expect(await preferences.set({ routing: 'app' })).toEqual({ ok: false, error: 'not-applied' });
  expect(await preferences.set({ apps: { ...mail, ids: [] } })).toEqual({ ok: false, error: 'not-applied' });
});

test('until an application is chosen all traffic is routed, and then that of the chosen ones', async () => {
  const { preferences, file } = start();
  expect(await preferences.set({ routing: 'app' })).toEqual({ ok: true });
  expect(preferences.forTunnel().routing).toEqual({ mode: 'global', localNetwork: false });
  await preferences.set({ apps: { ...mail, ids: [...mail.ids] } });
  // Which ones those are stays here.
  expect(preferences.forTunnel().routing).toEqual({ mode: 'app', policy: 'include', localNetwork: false });
  await preferences.set({ localNetwork: true, apps: { policy: 'exclude', ids: [...mail.ids] } });
  expect(preferences.forTunnel().routing).toEqual({ mode: 'app', policy: 'exclude', localNetwork: true });
  expect(start({ file }).preferences.get()).toMatchObject({ routing: 'app', apps: { policy: 'exclude' } });
  expect(start({ file, canRouteByApp: false }).preferences.forTunnel().routing.mode).toBe('global');
});

test('processes are where they belong before traffic is routed by it, and again when that cannot be done', async () => {
  const { preferences, done, refuses } = start();
  await preferences.set({ routing: 'app', apps: { ...mail, ids: [...mail.ids] } });
  expect(done.splice(0)).toEqual([
    ['prepare', 'include'],
    ['apply', 'include'],
  ]);
  refuses.add('apply');
  const excluded = { policy: 'exclude', ids: [...mail.ids] } as const;
  expect(await preferences.set({ apps: { ...excluded, ids: [...mail.ids] } })).toEqual({
    ok: false,
    error: 'not-applied',
  });
  expect(done.splice(0)).toEqual([
    ['prepare', 'exclude'],
    ['apply', 'exclude'],
    ['prepare', 'include'],
  ]);
  refuses.add('prepare');
  expect(await preferences.set({ routing: 'global' })).toEqual({ ok: false, error: 'not-applied' });
  expect(preferences.get()).toMatchObject({ routing: 'app', apps: mail });
});

test.each([['mail'], { policy: 'some', ids: [] }, { policy: 'include', ids: ['../mail.desktop'] }])(
  'what is stored as %j is no choice',
  (apps) => {
    const { preferences } = start({ file: createTestFile({ routing: 'app', apps }) });
    expect(preferences.get().apps).toEqual({ policy: 'include', ids: [] });
  },
);
