/**
 * Served instead of a worker that is broken or no longer wanted: browsers look for a new worker whenever a page is
 * opened, whatever the old one does with that page. It deletes what was stored and itself, and reloads open pages.
 */

const worker = self as unknown as ServiceWorkerGlobalScope;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('activate', (event) => event.waitUntil(leave()));

async function leave(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name);
  await worker.registration.unregister();
  // Only pages of the previous worker: a page that has just registered this one stays.
  const pages = await worker.clients.matchAll({ type: 'window' });
  await Promise.allSettled(pages.map((page) => page.navigate(page.url)));
}
