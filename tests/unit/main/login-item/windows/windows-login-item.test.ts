import { expect, test } from 'vitest';
import { createWindowsLoginItem } from '../../../../../src/main/login-item/windows/windows-login-item.ts';

/** Windows' two keys, as Electron reads and writes them (shell/browser/browser_win.cc). */
function createWindowsApp() {
  const keys: { run: string | undefined; isApproved: boolean } = { run: undefined, isApproved: true };
  const entry = (args: readonly string[] = []) => ['waymaker.exe', ...args].join(' ');
  return {
    keys,
    getLoginItemSettings: (options?: { args: string[] }) => ({
      openAtLogin: keys.run === entry(options?.args),
      wasOpenedAtLogin: false,
      executableWillLaunchAtLogin: keys.run !== undefined && keys.isApproved,
    }),
    setLoginItemSettings({ openAtLogin, args }: { openAtLogin: boolean; args?: string[] }) {
      keys.run = openAtLogin ? entry(args) : undefined;
      keys.isApproved = true;
    },
  };
}

test('an entry that its user has switched off in the Task Manager is off, and can be switched on', () => {
  const app = createWindowsApp();
  const item = createWindowsLoginItem(app, ['--hidden']);
  expect(item.isOn()).toBe(false);
  expect(item.set(true)).toBe(true);
  expect(item.isOn()).toBe(true);
  app.keys.isApproved = false;
  expect(item.isOn()).toBe(false);
  expect(item.set(true)).toBe(true);
  expect(item.isOn()).toBe(true);
  expect(item.set(false)).toBe(true);
  expect([item.isOn(), app.keys.run]).toEqual([false, undefined]);
});
