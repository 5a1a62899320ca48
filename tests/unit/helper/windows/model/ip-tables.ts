import { SystemError } from '../../../../../helper/windows/calls/system-error.ts';
import type {
  Interface,
  InterfaceResolver,
  IpHelper,
  IpInterface,
  Luid,
  Route,
  UnicastAddress,
} from '../../../../../helper/windows/calls/ip-helper.ts';

/** What IP Helper reads and writes. */
export interface IpTables {
  interfaces: Interface[];
  ipInterfaces: IpInterface[];
  addresses: UnicastAddress[];
  routes: Route[];
  resolvers: InterfaceResolver[];
}

type Same<Row> = (one: Row) => (other: Row) => boolean;
const sameRoute: Same<Route> = (one) => (other) =>
  one.luid === other.luid && one.prefix === other.prefix && one.nextHop === other.nextHop;
const sameAddress: Same<UnicastAddress> = (one) => (other) =>
  one.luid === other.luid && one.address === other.address;

/** A smaller one is no valid parameter. */
const smallestMtu = { 4: 576, 6: 1_280 } as const;
const ERROR_INVALID_PARAMETER = 87;

const familyOf = (text: string) => (text.includes(':') ? 6 : 4);

/** `changed` is called after each call that changes something, and may throw. */
export function ipHelperOn(
  tables: IpTables,
  changed: (call: string) => void,
  watchers: Set<() => void>,
): IpHelper {
  const has = (luid: Luid, text: string) =>
    tables.ipInterfaces.some((one) => one.luid === luid && one.family === familyOf(text));

  function create<Row extends { luid: Luid }>(
    call: string,
    rows: Row[],
    row: Row,
    same: Same<Row>,
    text: string,
  ) {
    if (!has(row.luid, text)) return 'no-protocol';
    if (rows.some(same(row))) return 'exists';
    rows.push(row);
    changed(call);
    return 'created';
  }

  function remove<Row>(call: string, rows: Row[], row: Row, same: Same<Row>) {
    const index = rows.findIndex(same(row));
    if (index < 0) return 'absent';
    rows.splice(index, 1);
    changed(call);
    return 'deleted';
  }

  return {
    interfaces: () => structuredClone(tables.interfaces),
    ipInterfaces: () => structuredClone(tables.ipInterfaces),
    setIpInterface({ luid, family, metric, mtu }) {
      const found = tables.ipInterfaces.find((one) => one.luid === luid && one.family === family);
      if (!found) return 'no-protocol';
      if (mtu < smallestMtu[family]) throw new SystemError('SetIpInterfaceEntry', ERROR_INVALID_PARAMETER);
      Object.assign(found, { metric, mtu, isMetricAutomatic: false, ignoresDefaultRoutes: false });
      changed('setIpInterface');
      return 'set';
    },
    addresses: () => structuredClone(tables.addresses),
    createAddress(address) {
      const isSomewhere = tables.addresses.some((one) => one.address === address.address);
      if (isSomewhere && has(address.luid, address.address)) return 'exists';
      return create('createAddress', tables.addresses, { ...address }, sameAddress, address.address);
    },
    deleteAddress: (address) => remove('deleteAddress', tables.addresses, address, sameAddress),
    routes: () => structuredClone(tables.routes),
    createRoute: (route) => create('createRoute', tables.routes, { ...route }, sameRoute, route.prefix),
    setRoute(route) {
      const found = tables.routes.find(sameRoute(route));
      if (!found) return 'absent';
      found.metric = route.metric;
      changed('setRoute');
      return 'set';
    },
    deleteRoute: (route) => remove('deleteRoute', tables.routes, route, sameRoute),
    resolvers: () => structuredClone(tables.resolvers),
    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
