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

/** What the service says belongs in the tunnel, by name and in canonical form (`listedDomain`). */
export interface DomainLists {
  routeDomains: string[];
  blockedDomains: string[];
}

/** A text that outlives the app. Every method may throw. */
export interface TextFile {
  /** Undefined if there is none. */
  read(): string | undefined;
  write(text: string): void;
  remove(): void;
}

/** The lists by which automatic routing goes, some megabytes: parsed once, and held once. */
export interface RouteLists {
  /** However old; undefined before the service has told any. */
  current(): DomainLists | undefined;
  /** Asks the service, unless what is known is fresh (specification §9). What is known stays so if that fails. */
  update(): Promise<RouteListsUpdate>;
  /** The user has signed out: an answer that is still on its way is nobody's. */
  forget(): void;
  /** There are other lists than before. */
  onChange(listener: () => void): void;
}

/** `too-long`: no helper, or no browser, would take them. */
export type RouteListsUpdate = { ok: true } | { ok: false; failure: ApiFailure | 'too-long' };

export interface RouteListsOptions {
  file: TextFile;
  /** Calls with the credentials of the account. */
  client: Pick<RenewingApiClient, 'renew'>;
  /** Of the service's messages. */
  language: () => Language;
  log: Logger;
}

const keptLists = z.object({
  etag: z.optional(z.string()),
  /** When the service last said that these are its lists, in milliseconds since the Unix epoch. */
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

  /** Read only once somebody routes by them. */
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
      // From the future, because the clock was set back: of unknown age, so old.
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

/** The domains of a list as the helper takes them, and how many entries are none. */
function namesOf(list: readonly string[]): { names: string[]; leftOut: number } {
  const names = list.map(listedDomain).filter((name) => name !== undefined);
  return { names, leftOut: list.length - names.length };
}

/** Of a frame, for what else is in it. */
const otherBytes = 64 * 1024;

/** The helper lets go whoever sends longer frames, and browsers silently ignore longer PAC files. */
function fit(lists: DomainLists): boolean {
  // All of it is ASCII, between quotation marks and commas.
  const bytes = [...lists.routeDomains, ...lists.blockedDomains].reduce(
    (sum, name) => sum + name.length + 3,
    0,
  );
  return bytes <= helperMaxFrameBytes - otherBytes && fitPacFile(lists);
}
