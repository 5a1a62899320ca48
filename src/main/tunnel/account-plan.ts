import type { Logger } from 'pino';
import * as z from 'zod/mini';
import { apiCalls } from '#shared/api/calls.ts';
import type { ApiClient } from '#shared/api/client.ts';
import type { ServiceClock } from '#shared/api/service-clock.ts';
import { serverGroup, service } from '#shared/entities.ts';
import type { Deadline } from '#shared/helper/protocol.ts';
import {
  entitlementTo,
  isMarkedAt,
  isSharedByPath,
  type Entitlement,
  type ServerMark,
} from '#shared/plan/gateway-entitlement.ts';
import { withChoosableServers } from '#shared/plan/choosable-servers.ts';
import { isServiceExpired } from '#shared/plan/service-expiry.ts';
import { isGroupUsable, isOnTrial, listServers, type ListedServer } from '#shared/plan/usable-group.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { KeyValueFile } from '../preferences/settings.ts';

/** Why signing in to a gateway is not allowed; `unknown`: the service has not listed anything for this account yet. */
export type GatewayRefusal = Deadline['reason'] | 'server-removed' | 'unknown';

/** The service's lists for the account, as main itself received them; the last ones are kept over restarts. */
export interface AccountPlan {
  /** Wraps a client to store its replies about the plan, without servers that nobody could choose. */
  watch(client: ApiClient): ApiClient;
  /**
   * Asks the service, unless it has answered everything within `maxAgeMs`. Changes nothing if the service cannot be
   * reached.
   */
  refresh(maxAgeMs?: number): Promise<void>;
  /** Asks the service about a change that has just happened: a request in progress may not include it. */
  renew(): Promise<void>;
  /** Asks again for what this run has asked for: a change since may have been missed. */
  catchUp(): Promise<void>;
  /** Undefined while nothing is known. */
  entitlementTo(gateway: Gateway): Entitlement | undefined;
  /**
   * Asks the service if what is known is not enough. Undefined: the gateway may be used, with a sign-in that begins at
   * `path`.
   */
  refusal(gateway: Gateway, path?: string): Promise<GatewayRefusal | undefined>;
  /** Whether the service marks the gateway in this way. */
  isMarked(mark: ServerMark, gateway: Gateway, path: string): boolean;
  /** Whether listed servers share the gateway, and differ in where their sign-in begins. */
  isSharedByPath(gateway: Gateway): boolean;
  /** Whether the service has listed the servers. */
  isKnown(): boolean;
  /** The servers that may be used now. */
  servers(): ListedServer[];
  /** Whether the service has said that a server may be used now. */
  hasPlan(): boolean;
  /** When the plan or trial that the user connects with ends, by the service's clock, if that is known. */
  end(): { kind: 'trial' | 'plan'; at: number } | undefined;
  /** Host names of the listed gateways. */
  hosts(): string[];
  onChange(listener: () => void): void;
  /** What is known belonged to another account. */
  forget(): void;
}

export interface AccountPlanOptions {
  file: KeyValueFile;
  /** Calls with the account's credentials. */
  client: ApiClient;
  isSignedIn: () => boolean;
  clock: Pick<ServiceClock, 'now'>;
  log: Logger;
}

/** Each is absent until the service has sent it. */
const knownPlan = z.object({
  groups: z.optional(z.array(serverGroup)),
  service: z.optional(service),
});
type KnownPlan = z.infer<typeof knownPlan>;

const key = 'plan';
/** Limits how often a page that asks for unlisted gateways can cause a request to the service. */
const minRefusalAgeMs = 5000;

export function createAccountPlan({ file, client, isSignedIn, clock, log }: AccountPlanOptions): AccountPlan {
  const listeners = new Set<() => void>();
  const toldAt = new Map<'serverGroups' | 'myService', number>();
  let known = readPlan(file);
  let refreshing: Promise<unknown> | undefined;

  function learn(call: 'serverGroups' | 'myService', change: KnownPlan): void {
    toldAt.set(call, Date.now());
    known = { ...known, ...change };
    try {
      file.set(key, known);
    } catch {
      // Then it only lasts until the app ends.
    }
    for (const listener of listeners) listener();
  }

  function watch(watched: ApiClient): ApiClient {
    return {
      async call(name, input) {
        const result = await watched.call(name, input);
        if (!result.ok) return result;
        if (name === 'serverGroups') {
          const groups = apiCalls.serverGroups.data.safeParse(result.data);
          if (!groups.success) return result;
          const { groups: items, leftOut } = withChoosableServers(groups.data.items);
          if (leftOut > 0) log.warn({ leftOut }, 'servers without a usable id are left out of the list');
          learn(name, { groups: items });
          return { ok: true, data: { items } as never };
        }
        if (name === 'myService') {
          const told = apiCalls.myService.data.safeParse(result.data);
          if (told.success) learn(name, { service: told.data });
        }
        return result;
      },
    };
  }

  async function refresh(maxAgeMs = 0): Promise<void> {
    // If the clock was changed, the age is not known.
    const isFresh = (told = -Infinity) => Math.abs(Date.now() - told) < maxAgeMs;
    if (!isSignedIn() || (isFresh(toldAt.get('serverGroups')) && isFresh(toldAt.get('myService')))) return;
    const asking = watch(client);
    refreshing ??= Promise.all([asking.call('serverGroups'), asking.call('myService')]).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }

  async function renew(): Promise<void> {
    await refreshing;
    await refresh();
  }

  const entitlement = (gateway: Gateway, path?: string) =>
    known.groups && entitlementTo({ ...gateway, path }, known.groups, known.service, clock.now());

  function servers(): ListedServer[] {
    const now = clock.now();
    return listServers((known.groups ?? []).filter((group) => isGroupUsable(group, known.service, now)));
  }

  return {
    watch,
    refresh,
    renew,
    async catchUp() {
      if (toldAt.size > 0) await renew();
    },
    entitlementTo: (gateway) => entitlement(gateway),
    async refusal(gateway, path) {
      if (entitlement(gateway, path)?.kind !== 'usable') await refresh(minRefusalAgeMs);
      const now = entitlement(gateway, path);
      switch (now?.kind) {
        case undefined:
          return 'unknown';
        case 'usable':
          return undefined;
        case 'ended':
          return now.reason;
        case 'not-listed':
          return 'server-removed';
        default:
          return now satisfies never;
      }
    },
    isSharedByPath: (gateway) => isSharedByPath(gateway, known.groups ?? []),
    isMarked: (mark, gateway, path) => isMarkedAt(mark, { ...gateway, path }, known.groups ?? []),
    isKnown: () => known.groups !== undefined,
    servers,
    hasPlan: () => known.service !== undefined && servers().length > 0,
    end() {
      const now = clock.now();
      const { service: plan, groups = [] } = known;
      if (plan?.expiredAt && !isServiceExpired(plan, now))
        return { kind: 'plan', at: Date.parse(plan.expiredAt) };
      const trials = groups.filter((group) => isOnTrial(group, now));
      // A trial without an end continues.
      if (trials.length === 0 || trials.some(({ trialExpiredAt }) => trialExpiredAt === null))
        return undefined;
      return {
        kind: 'trial',
        at: Math.max(...trials.map((group) => Date.parse(group.trialExpiredAt ?? ''))),
      };
    },
    hosts: () => [...new Set(listServers(known.groups ?? []).map(({ domain }) => domain))],
    onChange(listener) {
      listeners.add(listener);
    },
    forget() {
      known = {};
      toldAt.clear();
      try {
        file.clear();
      } catch {
        // The next account's data will replace it.
      }
    },
  };
}

function readPlan(file: KeyValueFile): KnownPlan {
  try {
    const parsed = knownPlan.safeParse(file.get(key));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
