const lookAgainMs = 60 * 60_000;

/**
 * Has the browser keep the console's files, so that it starts without a network. Browsers look for a new build when a
 * page is opened; one that stays open for days is kept up to date for the next start here. Without https, and where no
 * worker is served, nothing is kept.
 */
export function keepConsole(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  serviceWorker.register('/service-worker.js').catch(() => undefined);
  let lookedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - lookedAt < lookAgainMs) return;
    lookedAt = Date.now();
    const look = async () => await (await serviceWorker.getRegistration())?.update();
    look().catch(() => undefined);
  });
}
