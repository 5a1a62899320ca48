import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import {
  installerConfiguration,
  installers,
  noElectron,
  onlyConfigured,
  type InstallerPlatform,
} from '../../../packaging/desktop/installer-configuration.ts';

const platforms = Object.keys(installers) as InstallerPlatform[];
const root = path.resolve(import.meta.dirname, '../../..');

test('the configuration of each installer is one by electron-builder’s own schema', async () => {
  const file = path.join(root, 'node_modules/app-builder-lib/scheme.json');
  const schema = JSON.parse(await readFile(file, 'utf8')) as object;
  const isValid = new Ajv({ strict: false, logger: false }).compile(schema);
  for (const platform of platforms) {
    const electron = { folder: '/electron', version: '1.2.3' };
    const configuration = installerConfiguration({ platform, app: '/app', electron, folder: '/made' });
    expect(isValid(configuration), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...configuration, asar: 'perhaps' })).toBe(false);
    expect(configuration.electronFuses).toMatchObject({ runAsNode: false, onlyLoadAppFromAsar: true });
    expect(configuration.electronFuses?.enableEmbeddedAsarIntegrityValidation).toBe(platform !== 'linux');
  }
});

test('each installer says why it is only configured here', () => {
  expect(onlyConfigured('linux', undefined)).toEqual({
    'pkg for macOS': 'it is made on macOS',
    'AppImage for Linux': noElectron,
  });
  expect(Object.keys(onlyConfigured('linux', {}))).toEqual(['pkg for macOS']);
  expect(Object.keys(onlyConfigured('darwin', {}))).not.toContain('pkg for macOS');
});

test('macOS can ask, in each language of the app, whether it may reach the local network', async () => {
  const electron = { folder: '/electron', version: '1.2.3' };
  const { mac } = installerConfiguration({ platform: 'darwin', app: '/app', electron, folder: '/made' });
  const reason = 'NSLocalNetworkUsageDescription';
  expect((mac?.extendInfo as Record<string, string> | undefined)?.[reason]).toMatch(/network/);
  const added = [mac?.extraResources ?? []].flat().filter((one) => typeof one === 'object');
  for (const folder of ['zh_CN.lproj', 'zh_TW.lproj']) {
    const from = added.find(({ to }) => to === folder)?.from ?? '';
    const strings = await readFile(path.join(from, 'InfoPlist.strings'), 'utf8');
    expect(strings).toMatch(new RegExp(`^"?${reason}"? = "[^"]*Waymaker[^"]*";$`, 'm'));
  }
});
