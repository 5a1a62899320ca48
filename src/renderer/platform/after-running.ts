/** How often it is looked whether the time is over, in milliseconds. */
const lookMs = 1000;

/**
 * Calls back when the page has been running for so long. What it stands still for does not count, as in a webview that
 * the system suspends, or on a computer that sleeps: what has come meanwhile has not been read yet. Returns a function
 * that ends the wait.
 */
export function afterRunning(ms: number, action: () => void): () => void {
  let left = ms;
  let looked = performance.now();
  const timer = setInterval(() => {
    const passed = performance.now() - looked;
    looked += passed;
    if (passed > 2 * lookMs) return;
    left -= passed;
    // The nearest look is near enough.
    if (left >= lookMs / 2) return;
    clearInterval(timer);
    action();
  }, lookMs);
  return () => clearInterval(timer);
}
