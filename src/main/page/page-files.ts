import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pageHost } from './page-address.ts';

/**
 * Mantine sets CSS variables in a style element and in style attributes, so 'unsafe-inline' is needed for styles. App
 * icons and images in notes come from https addresses that the service names. The frames of the connectivity probe are
 * `object` elements, to which browsers apply both of their directives.
 */
const contentSecurityPolicy = ({ reportOrigin, probePages }: Omit<Pages, 'root'>) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    ["connect-src 'self'", reportOrigin].join(' ').trim(),
    `object-src ${probePages.join(' ') || "'none'"}`,
    `frame-src ${probePages.join(' ') || "'none'"}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const headersWith = (pages: Omit<Pages, 'root'>) => ({
  'Content-Security-Policy': contentSecurityPolicy(pages),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
});

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

export interface Pages {
  /** Folder of the built renderer. */
  root: string;
  /** Where the pages may send error reports; undefined means nowhere. */
  reportOrigin: string | undefined;
  /** The pages that they may load in hidden frames. */
  probePages: readonly string[];
}

/**
 * Answers a request for one of the app's own pages from the built renderer in `root`. A path without a file extension
 * is a route of the single-page app and gets its index. Nothing outside `root` is ever read.
 */
export async function servePage(
  { root, ...pages }: Pages,
  request: { method: string; url: string },
): Promise<Response> {
  const headers = headersWith(pages);
  const plain = (status: number, text: string) =>
    new Response(text, { status, headers: { ...headers, 'Content-Type': 'text/plain' } });
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'method not allowed');
  const file = pageFile(root, request.url);
  if (!file) return plain(404, 'not found');
  try {
    const content = request.method === 'HEAD' ? null : new Uint8Array(await readFile(file));
    const contentType = contentTypes[path.extname(file)] ?? 'application/octet-stream';
    return new Response(content, { headers: { ...headers, 'Content-Type': contentType } });
  } catch {
    return plain(404, 'not found');
  }
}

function pageFile(root: string, url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed?.host !== pageHost) return undefined;
  const pathname = decode(parsed.pathname);
  if (pathname === undefined || /[\\\0]/.test(pathname)) return undefined;
  const file = path.resolve(root, `.${pathname}`);
  if (file !== root && !file.startsWith(root + path.sep)) return undefined;
  return path.extname(file) === '' ? path.join(root, 'index.html') : file;
}

function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
