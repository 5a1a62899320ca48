import { expect, test } from 'vitest';
import { createMacosLoginItem } from '../../../../../src/main/login-item/macos/macos-login-item.ts';

type Status = 'not-registered' | 'enabled' | 'requires-approval';

/**
 * SMAppService as Electron asks it (shell/common/platform_util_mac.mm); `isForbidden`: by the user, in its settings.
 */
function createMacosApp(isForbidden: boolean) {
  let status: Status = isForbidden ? 'requires-approval' : 'not-registered';
  return {
    allow: () => (status = 'enabled'),
    getLoginItemSettings: () => ({ openAtLogin: status === 'enabled', wasOpenedAtLogin: false, status }),
    setLoginItemSettings({ openAtLogin }: { openAtLogin: boolean }) {
      if (!isForbidden) status = openAtLogin ? 'enabled' : 'not-registered';
    },
  };
}

test('an item that its user has switched off in macOS’s settings is switched on there', () => {
  const opened: string[] = [];
  const app = createMacosApp(true);
  const item = createMacosLoginItem(app, (link) => opened.push(link));
  expect(item.isOn()).toBe(false);
  expect(item.set(true)).toBe(false);
  expect(opened).toEqual(['x-apple.systempreferences:com.apple.LoginItems-Settings.extension']);
  app.allow();
  expect(item.isOn()).toBe(true);
});

test('an item that is not forbidden is switched on and off without macOS’s settings', () => {
  const opened: string[] = [];
  const item = createMacosLoginItem(createMacosApp(false), (link) => opened.push(link));
  expect(item.set(true)).toBe(true);
  expect(item.isOn()).toBe(true);
  expect(item.set(false)).toBe(true);
  expect(item.isOn()).toBe(false);
  expect(opened).toEqual([]);
});
