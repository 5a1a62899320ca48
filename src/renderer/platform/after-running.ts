/**
 * Calls back when the page has been running for so many seconds. What it stands still for does not count, as in a
 * webview that the system suspends, or on a computer that sleeps: what has come meanwhile has not been read yet.
 * Returns a function that ends the wait.
 */
export function afterRunning(seconds: number, action: () => void): () => void {
  let looked = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    // The first look, or one that comes late, says nothing about the time before it.
    if (now - looked < 2000) seconds -= 1;
    looked = now;
    if (seconds > 1) return;
    clearInterval(timer);
    action();
  }, 1000);
  return () => clearInterval(timer);
}
