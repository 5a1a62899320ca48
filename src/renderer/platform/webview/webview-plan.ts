import type { ServiceClock } from '#shared/api/service-clock.ts';
import { apiCalls, type ApiData } from '#shared/api/calls.ts';
import type { ServerGroup, Service } from '#shared/entities.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import { entitlementTo, type Entitlement } from '#shared/plan/gateway-entitlement.ts';
import { withChoosableServers } from '#shared/plan/choosable-servers.ts';
import {
  isGroupUsable,
  listServers,
  type ListedServer,
  type SignInPlace,
} from '#shared/plan/usable-group.ts';
import { readStored } from '../storage/stored-answer.ts';
import { storageKeys } from '../storage/storage-keys.ts';

type Api = HostImplementation['api'];

/** The service's lists for the account, as this page has received them. */
export interface WebviewPlan {
  /** The same calls, which also store replies about the plan. */
  api: Api;
  /** Asks the service. Changes nothing if it cannot be reached. */
  refresh(): Promise<void>;
  /** Whether the service has answered everything. */
  isKnown(): boolean;
  /** Undefined while nothing is known. */
  entitlementTo(place: SignInPlace): Entitlement | undefined;
  /** According to the service's answers to an earlier page; undefined if none of them is stored. */
  storedEntitlementTo(place: SignInPlace): Promise<Entitlement | undefined>;
  /** The servers that may be used now. */
  servers(): ListedServer[];
  onChange(listener: () => void): void;
  /** What is known belonged to another account. */
  forget(): void;
}

export function createWebviewPlan(
  api: Api,
  storage: Pick<HostImplementation['storage'], 'get'>,
  clock: Pick<ServiceClock, 'now'>,
): WebviewPlan {
  let groups: ServerGroup[] | undefined;
  let service: Service | undefined;
  const listeners: (() => void)[] = [];

  const call: Api['call'] = async (input) => {
    let result = await api.call(input);
    if (!result.ok || (input.name !== 'serverGroups' && input.name !== 'myService')) return result;
    if (input.name === 'serverGroups') {
      const told = apiCalls.serverGroups.data.safeParse(result.data);
      if (!told.success) return result;
      const { groups: items, leftOut } = withChoosableServers(told.data.items);
      if (leftOut > 0) console.warn(`${leftOut} servers without a usable id are left out of the list`);
      groups = items;
      result = { ok: true, data: { items } };
    } else {
      const told = apiCalls.myService.data.safeParse(result.data);
      if (told.success) service = told.data;
    }
    for (const listener of listeners) listener();
    return result;
  };

  async function stored<Name extends 'serverGroups' | 'myService'>(
    name: Name,
  ): Promise<ApiData<Name> | undefined> {
    const read = (data: unknown) => apiCalls[name].data.safeParse(data).data as ApiData<Name> | undefined;
    return readStored(read, await storage.get(storageKeys[name]))?.data;
  }

  return {
    api: { call },
    async refresh() {
      await Promise.allSettled([call({ name: 'serverGroups' }), call({ name: 'myService' })]);
    },
    isKnown: () => groups !== undefined && service !== undefined,
    entitlementTo: (place) => groups && entitlementTo(place, groups, service, clock.now()),
    async storedEntitlementTo(place) {
      const [old, oldService] = await Promise.all([stored('serverGroups'), stored('myService')]);
      return old && entitlementTo(place, old.items, oldService, clock.now());
    },
    servers() {
      const now = clock.now();
      return listServers((groups ?? []).filter((group) => isGroupUsable(group, service, now)));
    },
    onChange: (listener) => void listeners.push(listener),
    forget() {
      groups = undefined;
      service = undefined;
    },
  };
}
