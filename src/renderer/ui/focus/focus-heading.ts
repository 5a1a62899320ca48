/**
 * Where the focus belongs once the element that had it is gone: the page's heading (or, without one, the page). Who
 * waits for something asks before: a heading that has gone with its page takes no focus away from the next one.
 */
export function findHeading(): HTMLElement | null {
  return document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
}

export function focusHeading(): void {
  findHeading()?.focus();
}
