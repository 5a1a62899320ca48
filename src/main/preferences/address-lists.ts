import type { Logger } from 'pino';
import * as z from 'zod/mini';
import type { RenewingApiClient } from '#shared/api/client.ts';
import { cacheSeconds } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { isCanonicalPrefix } from '#shared/tunnel/prefix.ts';
import type { SharedLists } from '#shared/tunnel/shared-lists.ts';
import { createListeners } from '../listeners.ts';
import type { RouteListsUpdate, TextFile } from './route-lists.ts';

/**
 * The service's lists of countries' prefixes: parsed once, and only kept in memory for the countries that were asked
 * for.
 */
export interface AddressLists {
  /**
   * All lists of these countries, however old; undefined until the service has sent each of them. Returns the same
   * object as long as nothing has changed.
   */
  lists(countries: readonly string[]): Extract<SharedLists, { mode: 'ip' }> | undefined;
  /** Asks the service for lists that are not fresh (specification §9). If that fails, the known ones stay. */
  update(countries: readonly string[]): Promise<RouteListsUpdate>;
  /** The user has signed out. */
  forget(): void;
  /** The lists have changed. */
  onChange(listener: () => void): void;
}

const keptList = z.object({
  etag: z.optional(z.string()),
  /** When the service last confirmed this list, in milliseconds since the Unix epoch. */
  checkedAt: z.number(),
  items: z.array(z.string().check(z.refine(isCanonicalPrefix))),
});
const keptLists = z.record(z.string(), keptList);
type KeptList = z.infer<typeof keptList>;

export function createAddressLists({
  file,
  client,
  language,
  log,
}: {
  file: TextFile;
  client: Pick<RenewingApiClient, 'renew'>;
  /** The language of the service's messages. */
  language: () => Language;
  log: Logger;
}): AddressLists {
  const listeners = createListeners<void>();
  let lists: Record<string, KeptList> | undefined;
  /** The last result, because it is long and needed for every request to the helper. */
  let last: { found: string[][]; lists: Extract<SharedLists, { mode: 'ip' }> } | undefined;
  /** Counts how often everything was forgotten: answers to earlier requests are ignored. */
  let accounts = 0;

  /** Read from disk only when it is needed. */
  function known(): Record<string, KeptList> {
    lists ??= read();
    return lists;
  }

  function read(): Record<string, KeptList> {
    try {
      const text = file.read();
      return text === undefined ? {} : keptLists.parse(JSON.parse(text));
    } catch (error) {
      log.warn({ err: error }, 'the lists of addresses cannot be read');
      return {};
    }
  }

  function keep(country: string, list: KeptList): void {
    lists = { ...known(), [country]: list };
    try {
      file.write(JSON.stringify(lists));
    } catch (error) {
      log.warn({ err: error }, 'the lists of addresses cannot be kept');
    }
  }

  async function ask(country: string): Promise<RouteListsUpdate> {
    const [before, account] = [known()[country], accounts];
    const input = { params: { country }, etag: before?.etag, language: language() };
    const reply = await client.renew('ipv4Prefixes', input);
    if (!reply.ok) return reply;
    if (account !== accounts) return { ok: true };
    const checkedAt = Date.now();
    if (!reply.data.isChanged) {
      if (before) keep(country, { ...before, checkedAt });
      return { ok: true };
    }
    const items = reply.data.data.items.filter(isCanonicalPrefix);
    const leftOut = reply.data.data.items.length - items.length;
    if (leftOut > 0) log.warn({ country, leftOut }, 'entries of a list are no prefixes and are left out');
    keep(country, { items, etag: reply.data.etag, checkedAt });
    listeners.emit();
    return { ok: true };
  }

  const isFresh = (country: string) => {
    const age = Date.now() - (known()[country]?.checkedAt ?? -Infinity);
    // A time in the future means that the clock was set back: the age is not known, so it counts as old.
    return age >= 0 && age < cacheSeconds.ipList * 1000;
  };

  return {
    lists(countries) {
      const found = countries.map((country) => known()[country]?.items);
      if (!found.every((items) => items !== undefined)) return undefined;
      const isSame =
        last?.found.length === found.length && found.every((items, index) => items === last?.found[index]);
      if (!isSame) last = { found, lists: { mode: 'ip', routeIps: found.flat() } };
      return last?.lists;
    },
    async update(countries) {
      let update: RouteListsUpdate = { ok: true };
      for (const country of countries) {
        if (isFresh(country)) continue;
        const reply = await ask(country);
        // One that cannot be had, maybe ever again, does not keep the others old.
        if (update.ok) update = reply;
        // Each of the others would be waited for as long.
        if (!reply.ok && reply.failure !== 'too-long' && reply.failure.kind === 'network') break;
      }
      return update;
    },
    forget() {
      lists = {};
      last = undefined;
      accounts += 1;
      try {
        file.remove();
      } catch (error) {
        log.warn({ err: error }, 'the lists of addresses cannot be removed');
      }
    },
    onChange: (listener) => listeners.add(listener),
  };
}
