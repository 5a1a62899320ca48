/**
 * What the service sends in the place of a worker that is broken or no longer wanted: browsers look for a new worker
 * whenever a page is opened, whatever the old one makes of that page. It removes what was kept and itself, and has open
 * pages reloaded.
 */

const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('activate', (event) => event.waitUntil(leave()));

async function leave(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name);
  await worker.registration.unregister();
  // Only those of the worker before: a page that has just registered this one stays.
  const pages = await worker.clients.matchAll({ type: 'window' });
  await Promise.allSettled(pages.map((page) => page.navigate(page.url)));
}
