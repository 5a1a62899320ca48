import type { Locator } from 'playwright/test';

/** More than there is to reach on any page. */
const maxPresses = 80;

/** Presses Tab, as a person does who has no mouse, until this has the focus. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  const { keyboard } = target.page();
  // To find it by its name again takes longer than to press the key, and is needed only if it was drawn anew.
  let found = await target.elementHandle();
  for (let presses = 0; presses < maxPresses; presses += 1) {
    await keyboard.press(key);
    const state = await found.evaluate((element) =>
      element === document.activeElement ? 'reached' : element.isConnected,
    );
    if (state === 'reached') return;
    if (!state) found = await target.elementHandle();
  }
  throw new Error(`the keyboard does not reach ${target.toString()}`);
}
