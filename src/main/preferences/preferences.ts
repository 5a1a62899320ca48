import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { PreferencesReply } from '#shared/host/contract.ts';
import { tunnelPreferences, type TunnelPreferences } from '#shared/host/preferences.ts';
import { helperMaxFrameBytes } from '#shared/helper/protocol.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { SharedLists, WantedRouting } from '#shared/tunnel/shared-lists.ts';
import { maxRoutedPrefixes } from '#shared/tunnel/state.ts';
import { createListeners } from '../listeners.ts';
import type { AddressLists } from './address-lists.ts';
import type { DomainLists, RouteLists, RouteListsUpdate } from './route-lists.ts';
import type { Settings } from './settings.ts';

/** What a tunnel should be like: `routing` has the user's choices, `lists` the service's lists for them. */
export interface WantedTunnel extends WantedRouting {
  killSwitch: boolean;
  ownResolvers?: string[];
  /** Absent if the helper cannot tell what comes in from what was asked for. */
  allowIncoming?: boolean;
}

/** The only owner of the user's choices about how the tunnel works: they are set, applied and rolled back here. */
export interface PreferencesStore {
  get(): TunnelPreferences;
  /** For a tunnel that is established now. */
  forTunnel(): WantedTunnel;
  set(change: Partial<TunnelPreferences>): Promise<PreferencesReply>;
  /** `apply` makes a change effective for a tunnel that is up. If it rejects, the change is rolled back. */
  subscribe(apply: (wanted: WantedTunnel) => Promise<void>): void;
  /** `prepare` is done before a change is made effective. If it rejects, the change is rolled back. */
  prepareWith(prepare: () => Promise<void>): void;
  onChange(listener: (now: TunnelPreferences) => void): void;
  /** Updates the lists if they are old and used for routing. Meant to be called often. */
  refreshLists(): Promise<void>;
}

/** Capabilities of the helper (shared/helper/protocol.ts) that a preference needs. */
export type PreferenceCapability =
  | 'routing.pac'
  | 'routing.ip'
  | 'routing.app'
  | 'direct-domains'
  | 'local-prefixes'
  | 'resolvers'
  | 'incoming';

export interface PreferencesOptions {
  settings: Settings;
  lists: RouteLists;
  /** Whether the helper has a capability, as far as is known. */
  can: (capability: PreferenceCapability) => boolean;
  /** The lists for routing by address; absent if there are none. */
  addressLists?: AddressLists;
  log: Logger;
}

type Name = keyof TunnelPreferences;
const names = Object.keys(tunnelPreferences.shape) as Name[];

export function createPreferences(options: PreferencesOptions): PreferencesStore {
  const { settings, lists, addressLists, log } = options;
  const listeners = createListeners<TunnelPreferences>();
  const subscribers: ((wanted: WantedTunnel) => Promise<void>)[] = [];
  const preparations: (() => Promise<void>)[] = [];
  /** One change after the other: a change that fails late must not roll back a later one. */
  const enqueue = createSerialQueue();
  /** The last known domains of the service; a new object means that they have changed. */
  let lastDomains: { known: DomainLists; lists: SharedLists } | undefined;
  /** Counts choices of a routing mode: work that was started for an earlier choice no longer counts. */
  let choices = 0;

  const get = (): TunnelPreferences => ({
    routing: settings.get('routing'),
    killSwitch: settings.get('killSwitch'),
    localNetwork: settings.get('localNetwork'),
    ...(options.can('routing.app') && { apps: settings.get('apps') }),
    ...(addressLists && options.can('routing.ip') && { addresses: settings.get('addresses') }),
    ...(options.can('direct-domains') && { domains: settings.get('domains') }),
    ...(options.can('local-prefixes') && { localPrefixes: settings.get('localPrefixes') }),
    ...(options.can('incoming') && { allowIncoming: settings.get('allowIncoming') }),
    ...(options.can('resolvers') && { dns: settings.get('dns') }),
  });
  const prepare = () => Promise.all(preparations.map((work) => work()));
  async function apply(chosen: TunnelPreferences): Promise<void> {
    await prepare();
    const wanted = wantedTunnel(chosen);
    await Promise.all(subscribers.map((subscriber) => subscriber(wanted)));
  }

  /** False if one could not be written; then it only lasts until the app ends. */
  function write(next: TunnelPreferences, before: TunnelPreferences): boolean {
    const changed = names.filter((name) => !isDeepStrictEqual(next[name], before[name]));
    return changed
      .map((name) => {
        const value = next[name];
        return value === undefined || settings.set(name, value);
      })
      .every(Boolean);
  }

  async function change(wanted: Partial<TunnelPreferences>): Promise<PreferencesReply> {
    const before = get();
    const next = { ...before, ...wanted };
    const isAbsent = (name: Name) => next[name] !== undefined && before[name] === undefined;
    if (['dns', 'domains', 'localPrefixes', 'allowIncoming'].some((name) => isAbsent(name as Name)))
      return { ok: false, error: 'not-applied' };
    if (!before.addresses && (next.addresses || next.routing === 'address'))
      return { ok: false, error: 'not-applied' };
    if (!before.apps && (next.apps || next.routing === 'app')) return { ok: false, error: 'not-applied' };
    if (isDeepStrictEqual(before, next)) return { ok: true };
    if (!write(next, before)) {
      // Otherwise the change would be lost without notice when the app ends.
      write(before, next);
      return { ok: false, error: 'not-stored' };
    }
    try {
      await apply(get());
    } catch (error) {
      log.warn({ err: error, ...wanted }, 'the preferences cannot be applied');
      write(before, next);
      await prepare().catch(() => undefined);
      return { ok: false, error: 'not-applied' };
    }
    listeners.emit(next);
    return { ok: true };
  }

  /** A change that needs lists, once they are there. */
  async function withLists(
    wanted: Partial<TunnelPreferences>,
    askForLists: () => Promise<RouteListsUpdate>,
  ): Promise<PreferencesReply> {
    const choice = choices;
    const update = await askForLists();
    if (!update.ok) {
      return update.failure === 'too-long'
        ? { ok: false, error: 'not-applied' }
        : { ok: false, error: 'no-lists', failure: update.failure };
    }
    const isLatest = () => choice === choices;
    return await enqueue(
      async () => await change(isLatest() ? wanted : { ...wanted, routing: get().routing }),
    );
  }

  /** The routing by address; undefined as long as the lists are not known or nothing is chosen. */
  function addressRouting({ addresses, ...local }: TunnelPreferences): WantedRouting | undefined {
    const ofCountries = addresses && addressLists?.lists(addresses.countries);
    if (!ofCountries || ofCountries.routeIps.length + addresses.prefixes.length === 0) return undefined;
    const { policy, prefixes: routeIps } = addresses;
    return { routing: { mode: 'ip', policy, routeIps, ...localRouting(local) }, lists: ofCountries };
  }

  function domainRouting({ domains }: TunnelPreferences): WantedRouting | undefined {
    const known = lists.current();
    if (!known) return undefined;
    if (known !== lastDomains?.known) lastDomains = { known, lists: { mode: 'pac', ...known } };
    const { through: routeDomains, direct: directDomains } = domains ?? { through: [], direct: [] };
    return {
      routing: {
        mode: 'pac',
        routeDomains,
        blockedDomains: [],
        ...(directDomains.length > 0 && { directDomains }),
      },
      lists: lastDomains.lists,
    };
  }

  /** The helper does not learn which programs are chosen; undefined as long as none is. */
  function appRouting({ apps: programs, ...local }: TunnelPreferences): WantedRouting | undefined {
    if (!programs || programs.ids.length === 0) return undefined;
    return { routing: { mode: 'app', policy: programs.policy, ...localRouting(local) } };
  }

  function chosenRouting(chosen: TunnelPreferences): WantedRouting | undefined {
    switch (chosen.routing) {
      case 'global':
        return undefined;
      case 'automatic':
        return domainRouting(chosen);
      case 'address':
        return addressRouting(chosen);
      case 'app':
        return appRouting(chosen);
      default:
        return chosen.routing satisfies never;
    }
  }

  function wantedTunnel(chosen: TunnelPreferences): WantedTunnel {
    const { killSwitch, dns = [], allowIncoming } = chosen;
    return {
      // As long as it is not known what belongs in the tunnel, everything does.
      ...(chosenRouting(chosen) ?? { routing: { mode: 'global', ...localRouting(chosen) } }),
      killSwitch,
      ...(dns.length > 0 && { ownResolvers: dns }),
      ...(allowIncoming !== undefined && { allowIncoming }),
    };
  }

  async function askForAddresses({ addresses }: TunnelPreferences): Promise<RouteListsUpdate> {
    if (!addresses || !addressLists) return { ok: true };
    const update = await addressLists.update(addresses.countries);
    if (!update.ok) return update;
    const listed = addressLists.lists(addresses.countries)?.routeIps ?? [];
    return fitHelper([...listed, ...addresses.prefixes]) ? update : { ok: false, failure: 'too-long' };
  }

  const applyLists = (routing: TunnelPreferences['routing']) => {
    if (settings.get('routing') !== routing) return;
    enqueue(() => apply(get())).catch((error: unknown) =>
      log.error({ err: error }, 'the new lists cannot be applied'),
    );
  };
  lists.onChange(() => applyLists('automatic'));
  addressLists?.onChange(() => applyLists('address'));

  return {
    get,
    forTunnel: () => wantedTunnel(get()),
    async set(wanted) {
      if (wanted.routing !== undefined) choices += 1;
      const before = get();
      if (wanted.routing === 'automatic' && before.routing !== 'automatic') {
        if (!options.can('routing.pac')) return { ok: false, error: 'not-applied' };
        return await withLists(wanted, () => lists.update());
      }
      const next = { ...before, ...wanted };
      if (next.routing === 'address' && before.addresses && (wanted.routing || wanted.addresses))
        return await withLists(wanted, () => askForAddresses(next));
      return await enqueue(() => change(wanted));
    },
    subscribe: (subscriber) => void subscribers.push(subscriber),
    prepareWith: (work) => void preparations.push(work),
    onChange: (listener) => listeners.add(listener),
    async refreshLists() {
      const chosen = get();
      if (chosen.routing === 'global' || chosen.routing === 'app') return;
      const update = await (chosen.routing === 'automatic' ? lists.update() : askForAddresses(chosen));
      if (!update.ok) log.info({ failure: update.failure }, 'the route lists cannot be brought up to date');
    },
  };
}

/** What stays reachable outside the tunnel. */
const localRouting = ({
  localNetwork,
  localPrefixes = [],
}: Pick<TunnelPreferences, 'localNetwork' | 'localPrefixes'>) => ({
  localNetwork,
  ...(localNetwork && localPrefixes.length > 0 && { localPrefixes }),
});

/** Space in a frame for everything else. */
const otherBytes = 64 * 1024;

/** The helper disconnects clients that send longer lists. */
function fitHelper(prefixes: readonly string[]): boolean {
  const bytes = prefixes.reduce((sum, prefix) => sum + prefix.length + 3, 0);
  return prefixes.length <= maxRoutedPrefixes && bytes <= helperMaxFrameBytes - otherBytes;
}
