import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page answers a request whose path is no file: browsers ask for HTML; curl, monitors and previews take
 * anything, but with the path of a file they mean that file.
 */
export function acceptsPage({ headers, url }: { headers: IncomingHttpHeaders; url: string }): boolean {
  const ranges = acceptedTypes(headers.accept);
  if (ranges.has('text/html')) return true;
  const [path = ''] = url.split('?', 1);
  const isFile = /\.[^/]*$/.test(path) || path.startsWith('/assets/');
  const takesAnything = !headers.accept?.trim() || ranges.has('*/*') || ranges.has('text/*');
  return takesAnything && !isFile;
}

/** The media ranges of an Accept header that are not excluded by a weight of 0 (RFC 9110 §12.5.1). */
function acceptedTypes(accept = ''): Set<string> {
  const ranges = accept.slice(0, 2048).toLowerCase().split(',');
  return new Set(
    ranges
      .filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
      .map((range) => range.split(';', 1).join().trim())
      .filter((type) => type !== ''),
  );
}
