import { isConsolePath } from '#shared/console-paths.ts';

/**
 * Keeps one build of the console whole, and starts it whether or not there is a network. (Not Workbox: with names that
 * have a hash of their content there is little to decide, and its runtime is many times this file.)
 *
 * - A build is kept completely or not at all, in a cache of its own; a page gets all of its files from one build.
 * - A new build is fetched while the old one is used. Pages that are opened from then on are of the new one; what older
 *   pages still load is there until none of them is open.
 * - Nothing but the build's own files is kept: no answer of the service, no address that a page was opened with.
 */

declare const self: ServiceWorkerGlobalScope;

/** Written by scripts/service-workers.ts. */
declare const BUILD: {
  version: string;
  /** The first script, by which the page of this build is known. */
  entry: string;
  /** Addresses of all files but the page. */
  files: readonly string[];
};

const ours = 'console ';
const buildCache = ours + BUILD.version;
/** Without the names of the files that a page will need: a worker has them all. */
const page = '/index.html';

self.addEventListener('install', (event) => event.waitUntil(keepBuild()));

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    if (isConsolePath(pathname)) event.respondWith(openPage(event));
  } else if (pathname.startsWith('/assets/')) {
    event.respondWith(findFile(request));
  }
});

async function keepBuild(): Promise<void> {
  const cache = await caches.open(buildCache);
  await Promise.all([keepPage(cache), ...BUILD.files.map((file) => keepFile(cache, file))]);
  // Pages that are open are not disturbed: their files are still there.
  await self.skipWaiting();
}

async function keepFile(cache: Cache, file: string): Promise<void> {
  // From another build, or from what the page has just loaded, if it is there.
  const known = await caches.match(file);
  const response = known ?? (await fetch(file, { priority: 'low' }));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  await cache.put(file, response);
}

/** Throws if the service has another build now; its worker follows. */
async function keepPage(cache: Cache): Promise<void> {
  // With the headers of today: of one that has not changed, browsers keep the policy that came with it first.
  const response = await fetch(page, { cache: 'reload' });
  const html = await response.text();
  if (!response.ok || !html.includes(BUILD.entry)) throw new Error(`${page} is not of this build`);
  // A response that came by a redirect must not answer a navigation.
  await cache.put(page, new Response(html, { headers: response.headers }));
}

async function openPage(event: FetchEvent): Promise<Response> {
  const cache = await caches.open(buildCache);
  const kept = await cache.match(page);
  if (!kept) return await fetch(event.request);
  event.waitUntil(Promise.allSettled([keepPage(cache), forgetOtherBuilds()]));
  return kept;
}

async function findFile(request: Request): Promise<Response> {
  const kept = await caches.match(request.url, { ignoreVary: true }).catch(() => undefined);
  return kept ?? (await fetch(request));
}

/** Unless a page is open that may be of one of them. */
async function forgetOtherBuilds(): Promise<void> {
  const open = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (open.length > 0) return;
  const others = (await caches.keys()).filter((name) => name.startsWith(ours) && name !== buildCache);
  await Promise.all(others.map((name) => caches.delete(name)));
}
