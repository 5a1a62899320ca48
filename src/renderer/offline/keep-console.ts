import { whenIdle } from '../platform/when-idle.ts';

const lookAgainMs = 60 * 60_000;

/**
 * Makes the browser store the console's files, so that it starts without a network. Browsers look for a new build when
 * a page is opened; a page that stays open for days is updated for the next start here. Without https, or if no worker
 * is served, nothing is stored.
 */
export function keepConsole(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  // Loading all files of the build would delay the first page.
  whenIdle(() => void serviceWorker.register('/service-worker.js').catch(() => undefined));
  let lookedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    // Also if the clock was set back.
    if (document.visibilityState !== 'visible' || Math.abs(Date.now() - lookedAt) < lookAgainMs) return;
    lookedAt = Date.now();
    const look = async () => await (await serviceWorker.getRegistration())?.update();
    look().catch(() => undefined);
  });
}
