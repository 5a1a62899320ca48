import { expect, test } from 'vitest';
import { createSettingsHost } from '../../../../src/main/preferences/settings-host.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';

/** `apply`: what comes of each change in turn; the rest succeeds. */
function start({ file = createTestFile(), apply = [] as Promise<void>[] } = {}) {
  const settings = createSettings(file);
  const applied: object[] = [];
  const host = createSettingsHost({
    settings,
    apply() {
      applied.push({ killSwitch: settings.get('killSwitch'), localNetwork: settings.get('localNetwork') });
      return apply.shift() ?? Promise.resolve();
    },
    log: createTestLog().log,
  });
  return { file, host, applied };
}

test('both are off until the user switches them on', async () => {
  expect(await start().host.get(undefined)).toEqual({ killSwitch: false, localNetwork: false });
});

test.each(['killSwitch', 'localNetwork'] as const)(
  '%s holds for a tunnel that is up, and over restarts',
  async (name) => {
    const { host, applied, file } = start();
    const on = { killSwitch: false, localNetwork: false, [name]: true };
    expect(await host.set({ name, on: true })).toEqual({ ok: true });
    expect(applied).toEqual([on]);
    expect(await host.get(undefined)).toEqual(on);
    const again = start({ file });
    expect(await again.host.get(undefined)).toEqual(on);
    expect(await again.host.set({ name, on: false })).toEqual({ ok: true });
    expect(await start({ file }).host.get(undefined)).toEqual({ killSwitch: false, localNetwork: false });
  },
);

test('the same setting again disturbs nothing', async () => {
  const { host, applied } = start({ file: createTestFile({ killSwitch: true }) });
  expect(await host.set({ name: 'killSwitch', on: true })).toEqual({ ok: true });
  expect(applied).toEqual([]);
});

test('one that cannot be stored is not applied either, and stays what it was', async () => {
  const { host, applied, file } = start({ file: createTestFile({ localNetwork: true }) });
  file.set = () => {
    throw new Error('ENOSPC');
  };
  expect(await host.set({ name: 'localNetwork', on: false })).toEqual({ ok: false, error: 'not-stored' });
  expect(await host.set({ name: 'killSwitch', on: true })).toEqual({ ok: false, error: 'not-stored' });
  expect(applied).toEqual([]);
  expect(await host.get(undefined)).toEqual({ killSwitch: false, localNetwork: true });

  // The disk takes something again: nothing of what failed comes back.
  file.set = (name, value) => void file.content.set(name, value);
  expect(await host.set({ name: 'killSwitch', on: true })).toEqual({ ok: true });
  expect(await host.get(undefined)).toEqual({ killSwitch: true, localNetwork: true });
});

test('one that the helper refuses stays what it was, over restarts too', async () => {
  const { host, file } = start({ apply: [Promise.reject(new Error('refused'))] });
  expect(await host.set({ name: 'killSwitch', on: true })).toEqual({ ok: false, error: 'not-applied' });
  expect(await host.get(undefined)).toEqual({ killSwitch: false, localNetwork: false });
  expect(await start({ file }).host.get(undefined)).toEqual({ killSwitch: false, localNetwork: false });
});

test('a change that fails late does not take back a later one', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { host } = start({ apply: [promise] });
  const changes = (['killSwitch', 'localNetwork', 'killSwitch'] as const).map(
    async (name) => await host.set({ name, on: true }),
  );
  reject(new Error('refused'));
  expect(await Promise.all(changes)).toEqual([
    { ok: false, error: 'not-applied' },
    { ok: true },
    { ok: true },
  ]);
  expect(await host.get(undefined)).toEqual({ killSwitch: true, localNetwork: true });
});
