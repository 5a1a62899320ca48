import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { UpdateView } from '#shared/host/updates-contract.ts';
import { createPackageUpdates, packagedApp } from '../../../../src/main/updates/package-updates.ts';

/** The app of version 1.2.0 beside a core whose package is replaced. */
async function packaged() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-package-'));
  const manifest = path.join(folder, 'manifest.json');
  const text = (version: string) => {
    const files = [{ path: 'node', size: 1, sha256: '0'.repeat(64) }];
    return JSON.stringify({ format: 1, product: 'waymaker-core', version, files });
  };
  /** As dpkg does: beside it, and then in its place. */
  const replace = async (version: string, content = text(version)) => {
    await writeFile(`${manifest}.dpkg-new`, content);
    await rename(`${manifest}.dpkg-new`, manifest);
  };
  await replace('1.2.0');
  const restarts: string[] = [];
  const start = async () => {
    const updates = await createPackageUpdates({
      manifest,
      version: '1.2.0',
      restart: () => restarts.push('restart'),
      everyMs: 20,
    });
    onTestFinished(() => updates.close());
    const told: (UpdateView | null)[] = [];
    updates.onChange((view) => told.push(view));
    const versionOf = (view: UpdateView | null) => view && 'version' in view.state && view.state.version;
    return { updates, told, versions: () => told.map(versionOf) };
  };
  onTestFinished(() => rm(folder, { recursive: true }));
  return { manifest, replace, start, restarts };
}

test('an app whose package is replaced while it runs says which version is installed, and restarts at a click', async () => {
  const { replace, start, restarts } = await packaged();
  const { updates, told, versions } = await start();
  expect(updates.view()).toBeNull();
  await updates.install();
  expect(restarts).toEqual([]);

  await replace('1.3.0');
  await vi.waitFor(() => expect(versions()).toEqual(['1.3.0']));
  expect(told[0]).toEqual(updates.view());
  expect(updates.view()?.state).toEqual({ kind: 'installed', version: '1.3.0' });
  await updates.install();
  expect(restarts).toEqual(['restart']);
});

test('an app says nothing of a package that is removed, unreadable or the same, but of an older one', async () => {
  const { manifest, replace, start } = await packaged();
  const { updates, versions } = await start();
  await rm(manifest);
  await replace('1.3.0', '{"version": "1.3.0"');
  await replace('1.2.0');
  // The control: had it looked at any of these late, it would say so before this one.
  await replace('1.1.0');
  await vi.waitFor(() => expect(versions()).toEqual(['1.1.0']));
  expect(updates.view()?.state).toEqual({ kind: 'installed', version: '1.1.0' });
});

test('an app whose package is put back to the version that runs has nothing to say any more, and does not restart', async () => {
  const { replace, start, restarts } = await packaged();
  const { updates, versions } = await start();
  await replace('1.3.0');
  await vi.waitFor(() => expect(versions()).toEqual(['1.3.0']));
  await replace('1.2.0');
  await vi.waitFor(() => expect(versions()).toEqual(['1.3.0', null]));
  expect(updates.view()).toBeNull();
  await updates.install();
  expect(restarts).toEqual([]);
});

test('an app that was started while its package was being replaced says so from the beginning', async () => {
  const { replace, start } = await packaged();
  await replace('1.3.0');
  const { updates } = await start();
  expect(updates.view()?.state).toEqual({ kind: 'installed', version: '1.3.0' });
});

test('only what is installed by a package for Linux is started again', () => {
  expect(packagedApp('/opt/Waymaker/resources/app.asar/out/main')).toBe('/opt/Waymaker/waymaker');
  expect(packagedApp('/opt/Waymaker-other/resources/app.asar/out/main')).toBeUndefined();
  expect(packagedApp('/tmp/.mount_Waymak/resources/app.asar/out/main')).toBeUndefined();
  expect(packagedApp()).toBeUndefined();
});
