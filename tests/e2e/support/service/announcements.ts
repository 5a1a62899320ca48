import type { Page } from 'playwright/test';

interface Listening {
  testAnnouncements: string[];
}

/**
 * Listens as a screen reader does: the texts that live regions come to hold, or to show, from now on, in order, and
 * alerts that come into the page; nothing of a part of them that is not live. Returns what reads them, and forgets those
 * read.
 */
export async function listenForAnnouncements(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const live = '[aria-live], [role="status"], [role="alert"], output';
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
  });
  return () => page.evaluate(() => (globalThis as unknown as Listening).testAnnouncements.splice(0));
}
