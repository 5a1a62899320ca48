import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { tunnelPreferences, type PreferencesReply, type TunnelPreferences } from '#shared/host/contract.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { createListeners } from '../listeners.ts';
import type { RouteLists } from './route-lists.ts';
import type { Settings } from './settings.ts';

/** The one owner of what the user has chosen of how the tunnel works: set, applied, or taken back, here alone. */
export interface PreferencesStore {
  get(): TunnelPreferences;
  /** What a tunnel is to be made with. */
  forTunnel(): { routing: Routing; killSwitch: boolean; ownResolvers?: string[] };
  set(change: Partial<TunnelPreferences>): Promise<PreferencesReply>;
  /** `apply` has a change take effect for a tunnel that is up. If it rejects, the change is taken back. */
  subscribe(apply: () => Promise<void>): void;
  onChange(listener: (now: TunnelPreferences) => void): void;
  /** Brings the lists up to date if traffic is routed by them, and are old. To be asked often. */
  refreshLists(): Promise<void>;
}

export interface PreferencesOptions {
  settings: Settings;
  lists: RouteLists;
  /** Whether the helper can route by lists. */
  canRouteByLists: () => boolean;
  /** Whether it asks resolvers of the user's own. */
  canChooseResolvers?: () => boolean;
  log: Logger;
}

type Name = keyof TunnelPreferences;
const names = Object.keys(tunnelPreferences.shape) as Name[];

export function createPreferences(options: PreferencesOptions): PreferencesStore {
  const { settings, lists, log } = options;
  const listeners = createListeners<TunnelPreferences>();
  const subscribers: (() => Promise<void>)[] = [];
  /** One change after the other: one that fails late must not take back a later one. */
  const enqueue = createSerialQueue();
  /** How often a routing mode was chosen: what was begun for an earlier choice no longer counts. */
  let choices = 0;

  const get = (): TunnelPreferences => ({
    routing: settings.get('routing'),
    killSwitch: settings.get('killSwitch'),
    localNetwork: settings.get('localNetwork'),
    ...(options.canChooseResolvers?.() && { dns: settings.get('dns') }),
  });
  const apply = async () => void (await Promise.all(subscribers.map((subscriber) => subscriber())));

  /** False if one could not be written; it then holds until the app ends. */
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
    if (next.dns !== undefined && before.dns === undefined) return { ok: false, error: 'not-applied' };
    if (isDeepStrictEqual(before, next)) return { ok: true };
    if (!write(next, before)) {
      // It would hold until the app ends, and then silently no longer.
      write(before, next);
      return { ok: false, error: 'not-stored' };
    }
    try {
      await apply();
    } catch (error) {
      log.warn({ err: error, ...wanted }, 'the preferences cannot be applied');
      write(before, next);
      return { ok: false, error: 'not-applied' };
    }
    listeners.emit(next);
    return { ok: true };
  }

  async function chooseAutomatic(wanted: Partial<TunnelPreferences>): Promise<PreferencesReply> {
    if (!options.canRouteByLists()) return { ok: false, error: 'not-applied' };
    const choice = choices;
    const update = await lists.update();
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

  lists.onChange(() => {
    if (settings.get('routing') !== 'automatic') return;
    enqueue(apply).catch((error: unknown) => log.error({ err: error }, 'the new lists cannot be applied'));
  });

  return {
    get,
    forTunnel() {
      const { routing, killSwitch, localNetwork, dns = [] } = get();
      const known = routing === 'automatic' ? lists.current() : undefined;
      // As long as nobody knows what belongs in the tunnel, everything does.
      return {
        routing: known ? { mode: 'pac', ...known } : { mode: 'global', localNetwork },
        killSwitch,
        ...(dns.length > 0 && { ownResolvers: dns }),
      };
    },
    async set(wanted) {
      if (wanted.routing !== undefined) choices += 1;
      if (wanted.routing === 'automatic' && get().routing !== 'automatic')
        return await chooseAutomatic(wanted);
      return await enqueue(() => change(wanted));
    },
    subscribe: (subscriber) => void subscribers.push(subscriber),
    onChange: (listener) => listeners.add(listener),
    async refreshLists() {
      if (settings.get('routing') !== 'automatic') return;
      const update = await lists.update();
      if (!update.ok) log.info({ failure: update.failure }, 'the route lists cannot be brought up to date');
    },
  };
}
