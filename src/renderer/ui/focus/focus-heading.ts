/** Moves the focus to the page's heading (or, without one, to the page), after the element that had it is gone. */
export function focusHeading(): void {
  const page = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
  page?.focus();
}
