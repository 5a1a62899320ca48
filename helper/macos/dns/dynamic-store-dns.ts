import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod/mini';
import type { Dns, DnsPort, DnsUndo } from '../../system/ports/dns-port.ts';
import type { DynamicStore } from '../calls/dynamic-store.ts';
import { resolverMark } from '../identifiers.ts';
import { readDictionary, writeDictionary, type Dictionary } from './property-list.ts';

/** The resolvers of all network services: those of the system (State) and those that the user has named (Setup). */
const resolverKeys = '(State|Setup):/Network/Service/[^/]+/DNS';
/** Which service leads out, by version of IP. */
const primaryKeys = ['State:/Network/Global/IPv4', 'State:/Network/Global/IPv6'] as const;

/** More than any of them has, in characters. */
const maxListLength = 64 * 1024;
const maxServices = 256;

/** How to undo what was changed, as it is in the journal. */
const macosDnsUndo = z.strictObject({
  /** What was there before, by key, as a property list; null: nothing. */
  store: z.record(
    z.string().check(z.regex(/^(?:State|Setup):\/Network\/Service\/[^/]{1,128}\/DNS$/)),
    z.nullable(z.string().check(z.maxLength(maxListLength))),
  ),
});
type MacosDnsUndo = z.infer<typeof macosDnsUndo>;

type Backup = Map<string, string | null>;

/**
 * Changes that come at once are looked at once, in milliseconds; a tool that changes again and again must not prevent
 * it.
 */
const settleMs = 500;

/** Resolvers in macOS's dynamic store: every network service gets the tunnel's, with a backup of its own. */
export function createDynamicStoreDns(store: DynamicStore): DnsPort {
  let backup: Backup | undefined;
  /** The same object as long as it says the same. */
  let undo: MacosDnsUndo | undefined;
  let wanted: Dns | undefined;

  const read = (key: string): Dictionary | undefined => {
    const text = store.get(key);
    return text === undefined ? undefined : readDictionary(text);
  };
  const isOurs = (dictionary: Dictionary | undefined) => dictionary?.[resolverMark] === true;

  /** Also a service that leads out and has no resolvers yet: it could get some at any moment. */
  function currentKeys(): string[] {
    const primaries = primaryKeys.flatMap((key) => {
      const service = read(key)?.['PrimaryService'];
      return typeof service === 'string' && !service.includes('/')
        ? [`State:/Network/Service/${service}/DNS`]
        : [];
    });
    return [...new Set([...store.keys(resolverKeys), ...primaries])].slice(0, maxServices).toSorted();
  }

  /** What others have there now replaces what was remembered. */
  function remember(): MacosDnsUndo {
    const next: Backup = new Map(backup);
    for (const key of currentKeys()) {
      const text = store.get(key);
      if (text === undefined) {
        if (!next.has(key)) next.set(key, null);
      } else if (!isOurs(readDictionary(text))) next.set(key, text.length > maxListLength ? null : text);
      else if (!next.has(key)) next.set(key, null);
    }
    const fresh: MacosDnsUndo = { store: Object.fromEntries(next) };
    backup = next;
    if (undo === undefined || !isDeepStrictEqual(fresh, undo)) undo = fresh;
    return undo;
  }

  const dictionaryOf = ({ servers, searchDomains }: Dns) =>
    writeDictionary({
      ServerAddresses: servers,
      ...(searchDomains.length > 0 && { SearchDomains: searchDomains }),
      [resolverMark]: true,
    });

  function isInForce(key: string, { servers, searchDomains }: Dns): boolean {
    const found = read(key);
    return (
      isOurs(found) &&
      isDeepStrictEqual(found?.['ServerAddresses'], servers) &&
      isDeepStrictEqual(found?.['SearchDomains'] ?? [], searchDomains)
    );
  }

  /** Puts back what was there, where the tunnel's resolvers still are; what others have put there since is theirs. */
  function putBack(before: Backup): void {
    const failures: unknown[] = [];
    for (const [key, value] of before) {
      try {
        if (!isOurs(read(key))) continue;
        if (value === null) store.remove(key);
        else store.set(key, value);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the resolvers could not be put back');
  }

  const serversIn = (text: string | null): string[] => {
    const found = text === null ? undefined : readDictionary(text)?.['ServerAddresses'];
    return Array.isArray(found) ? found.filter((server: string) => isIP(server) !== 0) : [];
  };

  /** Of the service that leads out first, and what the user has named before what the network has. */
  function originalServers(): string[] {
    const primary = primaryKeys.flatMap((key) => {
      const service = read(key)?.['PrimaryService'];
      return typeof service === 'string' ? [service] : [];
    });
    const services = [...new Set([...primary, ...[...(backup?.keys() ?? [])].map(serviceOf)])];
    const found = services.map((service) => {
      const [named, given] = (['Setup', 'State'] as const).map((kind) =>
        serversIn(backup?.get(`${kind}:/Network/Service/${service}/DNS`) ?? null),
      );
      return named && named.length > 0 ? named : (given ?? []);
    });
    return [...new Set(found.find((servers) => servers.length > 0) ?? [])];
  }

  const settled = <Result>(task: () => Result): Promise<Result> => Promise.resolve().then(task);

  return {
    undoSchema: macosDnsUndo,
    prepare: () =>
      settled(() => {
        backup = undefined;
        undo = undefined;
        wanted = undefined;
        return remember();
      }),
    prepareAgain: () => settled(remember),
    isSettable: () => true,
    originalServers: () => settled(originalServers),
    // All services ask the tunnel's resolvers, and there are no others.
    rivalServers: () => Promise.resolve([]),
    set: (dns) =>
      settled(() => {
        wanted = dns;
        // A service that has gone since needs none; one that leads out does, whatever has become of its own.
        const present = new Set(currentKeys());
        for (const key of backup?.keys() ?? [])
          if (present.has(key) && !isInForce(key, dns)) store.set(key, dictionaryOf(dns));
      }),
    verify: () =>
      settled(() => {
        const dns = wanted;
        if (!dns) return 'in-force';
        return currentKeys().every((key) => isInForce(key, dns)) ? 'in-force' : 'changed';
      }),
    watch(onChange) {
      let timer: NodeJS.Timeout | undefined;
      const changed = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          onChange();
        }, settleMs).unref();
      };
      const stop = store.watchResolvers(changed);
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    clear: () =>
      settled(() => {
        wanted = undefined;
        if (backup) putBack(backup);
      }),
    leftOver: (known) =>
      settled(() => {
        const handled = new Set(known.flatMap((one) => Object.keys(backupOf(one))));
        const left = store
          .keys(resolverKeys)
          .filter((key) => !handled.has(key) && isOurs(read(key)))
          .slice(0, maxServices);
        return left.length === 0 ? [] : [{ store: Object.fromEntries(left.map((key) => [key, null])) }];
      }),
    undo: (how) =>
      settled(() => {
        wanted = undefined;
        putBack(new Map(Object.entries(backupOf(how))));
      }),
  };
}

const serviceOf = (key: string) => key.split('/')[3] ?? '';

const backupOf = (how: DnsUndo) => z.parse(macosDnsUndo, how).store;
