/** Calls back when the page is idle, after 10 s at the latest. */
export function whenIdle(callback: () => void): void {
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in window) requestIdleCallback(callback, { timeout: 10_000 });
  else setTimeout(callback, 1000);
}
