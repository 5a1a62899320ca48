import type { AppType } from '../entities.ts';

// In every browser and in Node (WHATWG URL §6.1).
declare const URL: {
  parse(url: string): { protocol: string; username: string; password: string; href: string } | null;
};

/**
 * Schemes that are nobody's own link scheme: they run script, show files, start programs with arguments of
 * the link's choosing, or belong to the system.
 */
const neverNative =
  /^(?:javascript|vbscript|data|blob|file|filesystem|about|view-source|content|intent|android-app|package|shell|search|ldap|ldaps|telnet|ssh|smb|nfs|ftp|ftps|sftp|jar|res|mk|its|hcp|help|chrome|chrome-extension|devtools|waymaker|x-apple|x-help|ms-.+|search-ms|itms-services|ws|wss):$/;

/**
 * A mini-app's link as it may be opened, or undefined if it must not be. Web pages are http or https; an app
 * of its own may also have a scheme of its own, followed by `//`. Credentials in an address only serve to
 * disguise it.
 */
export function appLink(type: AppType, link: string): string | undefined {
  const url = URL.parse(link);
  if (!url || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'https:' || url.protocol === 'http:') return url.href;
  if (type !== 'native' || neverNative.test(url.protocol)) return undefined;
  return /^[a-z][a-z0-9+.-]+:\/\//.test(url.href) ? url.href : undefined;
}
