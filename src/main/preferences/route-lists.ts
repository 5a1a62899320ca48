import type { Logger } from 'pino';
import * as z from 'zod/mini';
import type { RenewingApiClient } from '#shared/api/client.ts';
import type { ApiFailure } from '#shared/api/result.ts';
import { cacheSeconds } from '#shared/constants.ts';
import type { Language } from '#shared/entities.ts';
import { helperMaxFrameBytes } from '#shared/helper/protocol.ts';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { fitPacFile } from '#shared/tunnel/pac-file.ts';
import { canonicalDomainLists } from '#shared/tunnel/route-config.ts';
import { createListeners } from '../listeners.ts';

/** The domains that belong in the tunnel according to the service, in canonical form (`listedDomain`). */
export interface DomainLists {
  routeDomains: string[];
  blockedDomains: string[];
}

/** A text that is kept over restarts. Every method may throw. */
export interface TextFile {
  /** Undefined if there is none. */
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** The lists for automatic routing, which have several megabytes: parsed once, and kept in memory once. */
export interface RouteLists {
  /** However old they are; undefined until the service has sent them. */
  current(): DomainLists | undefined;
  /** Asks the service unless the known lists are fresh (specification §9). If that fails, they stay. */
  update(): Promise<RouteListsUpdate>;
  /** The user has signed out: answers that are still on their way are ignored. */
  forget(): void;
  /** The lists have changed. */
  onChange(listener: () => void): void;
}

/** `too-long`: helper or browsers would not accept them. */
export type RouteListsUpdate = { ok: true } | { ok: false; failure: ApiFailure | 'too-long' };

export interface RouteListsOptions {
  file: TextFile;
  /** Calls with the credentials of the account. */
  client: Pick<RenewingApiClient, 'renew'>;
  /** The language of the service's messages. */
  language: () => Language;
  log: Logger;
}

const keptLists = z.object({
  etag: z.optional(z.string()),
  /** When the service last confirmed these lists, in milliseconds since the Unix epoch. */
  checkedAt: z.number(),
  ...canonicalDomainLists,
});

interface KeptLists {
  lists: DomainLists;
  etag: string | undefined;
  checkedAt: number;
}

export function createRouteLists({ file, client, language, log }: RouteListsOptions): RouteLists {
  const listeners = createListeners<void>();
  let kept: KeptLists | undefined;
  let isRead = false;
  let updating: Promise<RouteListsUpdate> | undefined;

  /** Read from disk only when it is needed. */
  function known(): KeptLists | undefined {
    if (!isRead) kept = read(file, log);
    isRead = true;
    return kept;
  }

  function keep(next: KeptLists): void {
    kept = next;
    const { lists, etag, checkedAt } = next;
    try {
      file.write(JSON.stringify({ etag, checkedAt, ...lists }));
    } catch (error) {
      log.warn({ err: error }, 'the route lists cannot be kept');
    }
  }

  async function ask(): Promise<RouteListsUpdate> {
    const before = known();
    const reply = await client.renew('pac', { etag: before?.etag, language: language() });
    if (!reply.ok) return reply;
    const checkedAt = Date.now();
    if (!reply.data.isChanged) {
      if (before && kept === before) keep({ ...before, checkedAt });
      return { ok: true };
    }
    const lists = canonicalLists(reply.data.data, log);
    if (!fit(lists)) {
      log.warn('the lists are too long for the helper, or for a PAC file');
      return { ok: false, failure: 'too-long' };
    }
    keep({ lists, etag: reply.data.etag, checkedAt });
    listeners.emit();
    return { ok: true };
  }

  return {
    current: () => known()?.lists,
    async update() {
      const age = Date.now() - (known()?.checkedAt ?? -Infinity);
      // A time in the future means that the clock was set back: the age is not known, so it counts as old.
      if (age >= 0 && age < cacheSeconds.pac * 1000) return { ok: true };
      updating ??= ask().finally(() => {
        updating = undefined;
      });
      return await updating;
    },
    forget() {
      kept = undefined;
      isRead = true;
      try {
        file.remove();
      } catch (error) {
        log.warn({ err: error }, 'the route lists cannot be removed');
      }
    },
    onChange: (listener) => listeners.add(listener),
  };
}

function read(file: TextFile, log: Logger): KeptLists | undefined {
  try {
    const text = file.read();
    if (text === undefined) return undefined;
    const { etag, checkedAt, ...lists } = keptLists.parse(JSON.parse(text));
    return { lists, etag, checkedAt };
  } catch (error) {
    log.warn({ err: error }, 'the route lists cannot be read');
    return undefined;
  }
}

function canonicalLists(given: DomainLists, log: Logger): DomainLists {
  const [routed, blocked] = [namesOf(given.routeDomains), namesOf(given.blockedDomains)];
  const leftOut = routed.leftOut + blocked.leftOut;
  if (leftOut > 0) log.warn({ leftOut }, 'entries of the lists are no domain names and are left out');
  return { routeDomains: routed.names, blockedDomains: blocked.names };
}

/** The domains of a list in the form that the helper accepts, and how many entries are not domains. */
function namesOf(list: readonly string[]): { names: string[]; leftOut: number } {
  const names = list.map(listedDomain).filter((name) => name !== undefined);
  return { names, leftOut: list.length - names.length };
}

/** Space in a frame for everything else. */
const otherBytes = 64 * 1024;

/** The helper disconnects clients that send longer frames, and browsers silently ignore longer PAC files. */
function fit(lists: DomainLists): boolean {
  // It is all ASCII, in quotation marks and separated by commas.
  const bytes = [...lists.routeDomains, ...lists.blockedDomains].reduce(
    (sum, name) => sum + name.length + 3,
    0,
  );
  return bytes <= helperMaxFrameBytes - otherBytes && fitPacFile(lists);
}
