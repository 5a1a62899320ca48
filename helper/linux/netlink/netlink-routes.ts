import { prefixTables, routeProtocol, routingTable } from '../identifiers.ts';
import { netlinkDump, netlinkRemove } from './netlink.ts';
import { attribute, zeroTerminated, type NetlinkMessage } from './netlink-message.ts';
import { removeNexthops } from './netlink-nexthops.ts';
import { ourRules } from './netlink-state.ts';
import type { Family } from '../../network/prefix-list.ts';
import { isInTable, protocolAt, RTM_DELROUTE, routesOf } from './route-message.ts';

/** Constants of <linux/rtnetlink.h>, <linux/fib_rules.h> and <linux/if_link.h>. */
const RTM_DELLINK = 17;
const RTM_DELRULE = 33;
const IFLA_IFNAME = 3;

/** The size of `struct ifinfomsg`. */
const linkHeader = 16;

/**
 * Removes all our rules and routes. The kernel's description of each one is also the request to remove it, except for
 * the message type (`ip rule flush` and `ip route flush` do the same).
 */
export async function removeRulesAndRoutes(families: readonly Family[]): Promise<void> {
  const rules = (await Promise.all(families.map(ourRules))).flat();
  await netlinkRemove(
    'route',
    rules.map(({ payload }) => ({ type: RTM_DELRULE, payload })),
  );
  await removeNexthops();
  for (const family of families)
    for (const table of [routingTable, ...prefixTables]) await removeRoutes(family, table);
}

/**
 * Leaves one of each of our rules: the kernel takes a rule that it has already from who does not ask for an error, as
 * `ip rule restore` (net/core/fib_rules.c, fib_nl_newrule), and removes one of them at a time.
 */
export async function removeDoubleRules(families: readonly Family[]): Promise<void> {
  const rules = (await Promise.all(families.map(ourRules))).flat();
  const seen = new Set<string>();
  const doubles = rules.filter(({ payload }) => {
    const description = payload.toString('latin1');
    if (seen.has(description)) return true;
    seen.add(description);
    return false;
  });
  await netlinkRemove(
    'route',
    doubles.map(({ payload }) => ({ type: RTM_DELRULE, payload })),
  );
}

/** Of a table with a hundred thousand routes, some thousands are in memory at a time. */
const maxHeld = 10_000;

/** Removes our routes in a table. */
export async function removeRoutes(family: Family, table: number): Promise<void> {
  for (;;) {
    const found: NetlinkMessage[] = [];
    await netlinkDump('route', routesOf(family, table), ({ payload }) => {
      if (payload[protocolAt] === routeProtocol && isInTable(payload, table))
        found.push({ type: RTM_DELROUTE, payload: Buffer.from(payload) });
      return found.length >= maxHeld;
    });
    await netlinkRemove('route', found);
    if (found.length < maxHeld) return;
  }
}

/** Removes a device and everything on it, if it exists. */
export async function removeLink(name: string): Promise<void> {
  const payload = Buffer.concat([Buffer.alloc(linkHeader), attribute(IFLA_IFNAME, zeroTerminated(name))]);
  await netlinkRemove('route', [{ type: RTM_DELLINK, payload }]);
}
