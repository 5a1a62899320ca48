import { isDeepStrictEqual } from 'node:util';
import type { DomainChoice } from '#shared/host/contract.ts';
import { enclosingDomains } from '#shared/tunnel/domain-name.ts';
import type { DomainLists } from './route-lists.ts';

/** The service's lists with the user's own names, in whose favour whatever the service says of the same name is left out. */
export interface OwnLists extends DomainLists {
  directDomains?: string[];
}

/** Works it out once for the same lists and names: the lists are long, and asked for with every request to the helper. */
export function createOwnDomains(): (lists: DomainLists, own: DomainChoice) => OwnLists {
  let last: { lists: DomainLists; own: DomainChoice; result: OwnLists } | undefined;
  return (lists, own) => {
    if (last?.lists !== lists || !isDeepStrictEqual(last.own, own))
      last = { lists, own, result: withOwnDomains(lists, own) };
    return last.result;
  };
}

function withOwnDomains(lists: DomainLists, { through, direct }: DomainChoice): OwnLists {
  if (through.length === 0 && direct.length === 0) return lists;
  const [added, taken] = [new Set(through), new Set(direct)];
  const stays = (name: string) => {
    // What is blocked below a name that was added still is.
    if (added.has(name)) return false;
    for (const domain of enclosingDomains(name)) if (taken.has(domain)) return false;
    return true;
  };
  return {
    routeDomains: [...lists.routeDomains.filter(stays), ...through],
    blockedDomains: lists.blockedDomains.filter(stays),
    ...(direct.length > 0 && { directDomains: direct }),
  };
}
