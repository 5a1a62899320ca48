import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasTrayHost } from '../../../../../src/main/tray/linux/tray-host.ts';
import { startTrayWatcher } from '../../../../lab/desktop/tray-watcher.ts';
import { startDesktopSession, type DesktopSession } from '../../../../lab/desktop/desktop-session.ts';

/** Real buses, asked as the app asks them. */

let session: DesktopSession;
beforeEach(async () => {
  session = await startDesktopSession();
});
afterEach(() => session[Symbol.asyncDispose]());

test('a session in which nothing shows icons has no place for one', async () => {
  expect(await hasTrayHost(session.run)).toBe(false);
});

test('a session with a watcher of tray icons has a place for one, as long as the watcher runs', async () => {
  await using watcher = await startTrayWatcher(session);
  await expect.poll(() => hasTrayHost(session.run)).toBe(true);
  await watcher[Symbol.asyncDispose]();
  await expect.poll(() => hasTrayHost(session.run)).toBe(false);
});

test('there is none without a message bus, or a program to ask it', async () => {
  const nowhere = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };
  expect(await hasTrayHost((name, args) => session.run(name, args, nowhere))).toBe(false);
  expect(await hasTrayHost(() => Promise.resolve(undefined))).toBe(false);
});
