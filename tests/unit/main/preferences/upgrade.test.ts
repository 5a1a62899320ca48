import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCoreFiles } from '../../../../src/main/preferences/kept-file.ts';
import { createSettings, type SettingName } from '../../../../src/main/preferences/settings.ts';

/**
 * What is on disks, with no value as it is by default. Whoever renames a setting, or takes a value away, has to read
 * the old one too; a new setting is added here.
 */
const stored = {
  deviceId: '0f6c1c1e-8c3e-4d68-9a53-3f2b1f7d1c11',
  tokenRevoked: true,
  gatewayPins: { 'gw.example': ['pin-sha256:AAAA'] },
  gatewayAddresses: { 'gw.example': '192.0.2.7' },
  gatewayLookUps: { 'gw.example': ['192.0.2.7', '2001:db8::7'] },
  gateways: {
    'gw.example:443': {
      path: '/office',
      listed: { host: 'listed.example', port: 8443 },
      group: { value: 'staff', label: 'Staff' },
      banner: 'Welcome',
      certificate: 'client.p12',
      wantsCertificate: true,
      agent: 'compatible',
    },
  },
  routing: 'address',
  apps: { policy: 'exclude', ids: ['org.example.Mail.desktop'] },
  addresses: { policy: 'exclude', countries: ['cn'], prefixes: ['198.51.100.0/24'] },
  domains: { through: ['example.com'], direct: ['example.org'] },
  serverId: 'berlin',
  recentServers: ['berlin', 'paris'],
  favouriteServers: ['paris'],
  killSwitch: true,
  killSwitchDoubt: 'copied',
  settingsDamage: 'restored',
  localNetwork: true,
  localPrefixes: ['198.51.100.0/24'],
  allowIncoming: true,
  language: 'zh-hans',
  theme: 'dark',
  dns: ['192.0.2.53', '2001:db8::53'],
  onQuit: 'keep',
  connectAtStart: true,
  connectOnUntrusted: true,
  disconnectOnTrusted: true,
  trustWired: true,
  trustedNetworks: ['686f6d65'],
  notifications: false,
  welcomed: true,
  toldOnce: ['update 1.2.3'],
  zoomLevel: 1,
  windowPlace: { bounds: { x: 10, y: 20, width: 800, height: 600 }, isMaximized: true },
  probePages: ['https://probe.example/'],
  operatorTexts: { en: { 'connect.connected': 'Online' } },
  proxyBefore: {
    gnome: { own: { address: 'http://127.0.0.1:9/', mode: 'auto' }, pacUrls: ['http://127.0.0.1:8/'] },
  },
} satisfies Record<SettingName, unknown>;

test('an upgrade keeps every setting of the user', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(stored));
  const settings = createSettings(openCoreFiles(folder).settingsFile);
  const names = Object.keys(stored) as SettingName[];
  expect(Object.fromEntries(names.map((name) => [name, settings.get(name)]))).toEqual(stored);
});

test('a file of a later version keeps what this version does not know', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify({ ...stored, later: { kind: 'new' } }));
  const settings = createSettings(openCoreFiles(folder).settingsFile);
  expect(settings.get('settingsDamage')).toBe('restored');
  settings.set('killSwitch', false);
  const again = openCoreFiles(folder).settingsFile;
  expect(again.get('later')).toEqual({ kind: 'new' });
  expect(again.get('favouriteServers')).toEqual(['paris']);
});

test('a routing mode of a later version is said to be lost, and takes nothing else with it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const written = { ...stored, killSwitch: true, routing: 'later', settingsDamage: null };
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(written));
  const settings = createSettings(openCoreFiles(folder).settingsFile);
  const names = Object.keys(stored) as SettingName[];
  expect(Object.fromEntries(names.map((name) => [name, settings.get(name)]))).toEqual({
    ...written,
    routing: 'global',
    settingsDamage: 'lost',
  });
});
