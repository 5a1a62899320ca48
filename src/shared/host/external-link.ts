// Exists in every browser and in Node (WHATWG URL §6.1).
declare const URL: {
  parse(url: string): { protocol: string; username: string; password: string; href: string } | null;
};

const openable = new Set(['https:', 'http:', 'mailto:']);

/**
 * The link in a form that may be given to the operating system, or undefined if it must not be: other schemes can start
 * programs, and credentials in an address only serve to disguise it.
 */
export function externalLink(link: string): string | undefined {
  const url = URL.parse(link);
  if (!url || !openable.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
