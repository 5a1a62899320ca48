import type { Locator } from 'playwright/test';

/** More than there is to reach on any page. */
const maxPresses = 80;

/** Presses Tab, as a person does who has no mouse, until this has the focus. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  const { keyboard } = target.page();
  for (let presses = 0; presses < maxPresses; presses += 1) {
    await keyboard.press(key);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`the keyboard does not reach ${target.toString()}`);
}
