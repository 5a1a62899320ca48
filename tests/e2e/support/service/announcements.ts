import { expect, type Page } from 'playwright/test';

interface Listening {
  testAnnouncements: string[];
}

/** What announces what comes into it. */
const anyRegion = '[aria-live], [role="status"], [role="alert"], output';

/**
 * Listens as a screen reader does: the texts that live regions come to hold, or to show, from now on, in order, and
 * alerts that come into the page; nothing of a part of them that is not live. Returns what reads them, and forgets those
 * read.
 */
export async function listenForAnnouncements(
  page: Page,
  regions = anyRegion,
): Promise<() => Promise<string[]>> {
  await page.evaluate((live) => {
    const shown = ['hidden', 'data-coming'];
    const said: string[] = [];
    (globalThis as unknown as Listening).testAnnouncements = said;
    const regionsOf = ({ target, addedNodes }: MutationRecord) => {
      const changed = target instanceof Element ? target : target.parentElement;
      const alerts = [...addedNodes].flatMap((node) =>
        node instanceof Element ? [node, ...node.querySelectorAll('*')] : [],
      );
      return [changed?.closest(live), ...alerts.filter((element) => element.matches('[role="alert"]'))];
    };
    new MutationObserver((records) => {
      for (const region of new Set(records.flatMap(regionsOf))) {
        // What is behind a modal dialog is inert, and goes unread.
        const modal = document.querySelector('dialog:modal');
        if (modal && !modal.contains(region ?? null)) continue;
        if (region?.matches('[aria-live="off"]')) continue;
        const text = region?.textContent.trim();
        if (text && said.at(-1) !== text) said.push(text);
      }
    }).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: shown,
    });
  }, regions);
  return () => page.evaluate(() => (globalThis as unknown as Listening).testAnnouncements.splice(0));
}

/**
 * That `during` has this text said, however soon it goes again: a toast is shown for 3 s, which a busy machine may spend
 * on the page behind it, while nobody looks. The page has to be loaded already, and stay. Returns every text said.
 */
export async function expectSaid(
  page: Page,
  text: string,
  during: () => Promise<unknown>,
  regions = anyRegion,
): Promise<string[]> {
  const announcements = await listenForAnnouncements(page, regions);
  await during();
  const said: string[] = [];
  await expect
    .poll(async () => {
      said.push(...(await announcements()));
      return said;
    })
    .toContainEqual(expect.stringContaining(text));
  return said;
}
