import { isConsolePath } from '#shared/console-paths.ts';

/**
 * Keeps one build of the console completely, and starts it with or without a network. (Not Workbox: since file names
 * contain a hash of their content, there is little to decide, and its runtime is many times the size of this file.)
 *
 * - A build is stored completely or not at all, in its own cache; a page gets all of its files from one build.
 * - A new build is fetched while the old one is in use. Pages that are opened from then on use the new one; what older
 *   pages still load is kept until none of them is open.
 * - Only the build's own files are stored: no answers of the service, and no addresses of opened pages.
 */

declare const self: ServiceWorkerGlobalScope;

/** Written by scripts/service-workers.ts. */
declare const BUILD: {
  version: string;
  /** The first script, which identifies a page of this build. */
  entry: string;
  /** The addresses of all files except the page. */
  files: readonly string[];
};

const ours = 'console ';
const buildCache = ours + BUILD.version;
/** Without the names of files that a page will need, because a worker has them all. */
const page = '/index.html';

self.addEventListener('install', (event) => event.waitUntil(install()));

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

async function install(): Promise<void> {
  await keepBuild();
  // Open pages are not disturbed: their files are still there.
  await self.skipWaiting();
}

async function keepBuild(): Promise<void> {
  const cache = await caches.open(buildCache);
  await Promise.all(BUILD.files.map((file) => keepFile(cache, file)));
  // Last: without it, nothing counts as stored.
  await keepPage(cache);
}

async function keepFile(cache: Cache, file: string): Promise<void> {
  // From another build, or from what the page has just loaded, if it is there.
  const known = await caches.match(file);
  const response = known ?? (await fetch(file, { priority: 'low' }));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  await cache.put(file, response);
}

/** Throws if the service has another build by now; its worker follows. */
async function keepPage(cache: Cache): Promise<void> {
  // With the current headers: for an unchanged page, browsers keep the policy that first came with it.
  const response = await fetch(page, { cache: 'reload' });
  const html = await response.text();
  if (!response.ok || !html.includes(BUILD.entry)) throw new Error(`${page} is not of this build`);
  // A response that came through a redirect must not answer a navigation.
  await cache.put(page, new Response(html, { headers: response.headers }));
}

/** From the network if the browser has deleted what was stored, or cannot read it: then it is stored again. */
async function openPage(event: FetchEvent): Promise<Response> {
  const kept = await keptPage().catch(() => undefined);
  event.waitUntil((kept ? renew() : keepBuild()).catch(() => undefined));
  return kept ?? (await fetch(event.request));
}

async function keptPage(): Promise<Response | undefined> {
  const cache = await caches.open(buildCache);
  return await cache.match(page);
}

async function renew(): Promise<void> {
  await Promise.allSettled([caches.open(buildCache).then(keepPage), forgetOtherBuilds()]);
}

async function findFile(request: Request): Promise<Response> {
  const kept = await caches.match(request.url, { ignoreVary: true }).catch(() => undefined);
  return kept ?? (await fetch(request));
}

/** Unless an open page may belong to one of them, or the next one is being stored. */
async function forgetOtherBuilds(): Promise<void> {
  const open = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (open.length > 0 || self.registration.installing) return;
  const others = (await caches.keys()).filter((name) => name.startsWith(ours) && name !== buildCache);
  await Promise.all(others.map((name) => caches.delete(name)));
}
