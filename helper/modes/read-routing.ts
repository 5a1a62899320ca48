import type { Routing } from '#shared/tunnel/state.ts';
import { prefixTexts, readPrefixList, type PrefixList } from '../network/prefix-list.ts';

type ByPrefix = Extract<Routing, { mode: 'ip' }>;

/** A routing as it travels through the helper: its list of prefixes has been read. */
export type ReadRouting = Exclude<Routing, { mode: 'ip' }> | WithPrefixList;
type WithPrefixList = Omit<ByPrefix, 'routeIps'> & { routeIps: PrefixList };

export const readRouting = (routing: Routing): ReadRouting =>
  routing.mode === 'ip' ? { ...routing, routeIps: readPrefixList(routing.routeIps) } : routing;

/** The same as text, for the journal. */
export const writtenRouting = (routing: ReadRouting): Routing =>
  routing.mode === 'ip' ? { ...routing, routeIps: prefixTexts(routing.routeIps) } : routing;
