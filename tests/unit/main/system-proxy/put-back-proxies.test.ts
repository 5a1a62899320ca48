import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openKeptFile } from '../../../../src/main/preferences/kept-file.ts';
import { settingsRecovery } from '../../../../src/main/preferences/settings.ts';
import { putBackProxies } from '../../../../src/main/system-proxy/put-back-proxies.ts';
import { startDesktopSession, type DesktopSession } from '../../../lab/desktop/desktop-session.ts';
import { startSystemProxy } from '../support/start-system-proxy.ts';

const onLinux = test.runIf(process.platform === 'linux');

const pac = 'http://127.0.0.1:40123/0123456789abcdef.pac';
const profileIn = (session: DesktopSession) => path.join(session.directory, '.config', 'Waymaker');
const putBack = (session: DesktopSession, env: Readonly<NodeJS.ProcessEnv> = session.env) =>
  putBackProxies({ profile: profileIn(session), env, platform: 'linux', log: pino({ level: 'silent' }) });
const stored = (session: DesktopSession) => session.user('dconf', 'dump', '/');

onLinux('what an ended app has left is put back, and what could not be is tried again', async () => {
  await using session = await startDesktopSession();
  await session.user('gsettings', 'set', 'org.gnome.system.proxy', 'mode', 'manual');
  const before = await stored(session);
  const file = openKeptFile(profileIn(session), 'settings', settingsRecovery);
  expect(await startSystemProxy('GNOME', session.run, file).use(pac)).toBe(true);
  const left = await stored(session);
  expect(left).toContain(pac);

  // The desktop's tools are not there.
  expect(await putBack(session, { ...session.env, PATH: session.directory })).toBe(false);
  expect(await stored(session)).toBe(left);
  // Its copy is there.
  rmSync(path.join(profileIn(session), 'settings.json'));
  expect(await putBack(session)).toBe(true);
  expect(await stored(session)).toBe(before);
  expect(await putBack(session)).toBe(true);
});

onLinux('for a user who has never used the app, nothing is created', async () => {
  await using session = await startDesktopSession();
  expect(await putBack(session)).toBe(true);
  expect(existsSync(profileIn(session))).toBe(false);
});
