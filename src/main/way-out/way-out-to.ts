import type { WayOutReply } from '#shared/control/contract.ts';
import type { WaysOut } from './ways-out.ts';

/** The name or address in a URL, as connections are made to it. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** How the host of this URL is reached, for a diagnosis: without a password. */
export function wayOutTo(url: string, ways: Pick<WaysOut, 'to' | 'isRefused' | 'summary'>): WayOutReply {
  const summary = ways.summary();
  const way = ways.to(hostOf(url));
  return {
    kind: summary.kind,
    hasScript: summary.kind === 'discovery' ? summary.hasScript : summary.kind === 'script',
    proxy: way
      ? { protocol: way.protocol, host: way.host, port: way.port, isRefused: ways.isRefused(way) }
      : null,
  };
}
