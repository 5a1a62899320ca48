import koffi from 'koffi';
import { z } from 'zod/mini';
import { readResolvers } from './adapter-resolvers.ts';
import type { IpHelper, IpInterfaceSettings, Route, UnicastAddress } from './ip-helper.ts';
import { readAddress, readInterface, readIpInterface, readRoute, type Row } from './ip-helper-rows.ts';
import {
  ipHelperConstants as constants,
  MIB_IF_ROW2,
  MIB_IF_TABLE2,
  MIB_IPFORWARD_ROW2,
  MIB_IPFORWARD_TABLE2,
  MIB_IPINTERFACE_ROW,
  MIB_IPINTERFACE_TABLE,
  MIB_UNICASTIPADDRESS_ROW,
  MIB_UNICASTIPADDRESS_TABLE,
} from './ip-helper-structures.ts';
import { changed, loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { familyNumber, familyOf, noAddress, socketAddress } from './socket-address.ts';
import type { Structure } from '#node/os/windows/structure.ts';
import { codes, expectSuccess, meaningOf } from './system-error.ts';

const { ERROR_SUCCESS, ERROR_NOT_FOUND, ERROR_OBJECT_ALREADY_EXISTS } = codes;

/** An IP version that is off is reported as not found, and a second creation as already there. */
const creation = {
  [ERROR_SUCCESS]: 'created',
  [ERROR_OBJECT_ALREADY_EXISTS]: 'exists',
  [ERROR_NOT_FOUND]: 'no-protocol',
} as const;
const deletion = { [ERROR_SUCCESS]: 'deleted', [ERROR_NOT_FOUND]: 'absent' } as const;

/** `library`: the file of iphlpapi.dll. */
export function createIpHelper(library: string): IpHelper {
  const { bind, bindWaiting } = loadLibrary(library);
  const row = ({ type }: Structure) => koffi.pointer(type);
  const filling = ({ type }: Structure) => changed(type);
  const native = {
    freeTable: bind('FreeMibTable', 'void', ['void *']),
    interfaces: bind('GetIfTable2', 'uint32', [returned('void *')]),
    ipInterfaces: bind('GetIpInterfaceTable', 'uint32', ['uint16', returned('void *')]),
    initializeIpInterface: bind('InitializeIpInterfaceEntry', 'void', [filling(MIB_IPINTERFACE_ROW)]),
    getIpInterface: bind('GetIpInterfaceEntry', 'uint32', [filling(MIB_IPINTERFACE_ROW)]),
    setIpInterface: bind('SetIpInterfaceEntry', 'uint32', [filling(MIB_IPINTERFACE_ROW)]),
    addresses: bind('GetUnicastIpAddressTable', 'uint32', ['uint16', returned('void *')]),
    initializeAddress: bind('InitializeUnicastIpAddressEntry', 'void', [filling(MIB_UNICASTIPADDRESS_ROW)]),
    createAddress: bind('CreateUnicastIpAddressEntry', 'uint32', [row(MIB_UNICASTIPADDRESS_ROW)]),
    deleteAddress: bind('DeleteUnicastIpAddressEntry', 'uint32', [row(MIB_UNICASTIPADDRESS_ROW)]),
    routes: bind('GetIpForwardTable2', 'uint32', ['uint16', returned('void *')]),
    initializeRoute: bind('InitializeIpForwardEntry', 'void', [filling(MIB_IPFORWARD_ROW2)]),
    createRoute: bind('CreateIpForwardEntry2', 'uint32', [row(MIB_IPFORWARD_ROW2)]),
    setRoute: bind('SetIpForwardEntry2', 'uint32', [row(MIB_IPFORWARD_ROW2)]),
    deleteRoute: bind('DeleteIpForwardEntry2', 'uint32', [row(MIB_IPFORWARD_ROW2)]),
    adapters: bind('GetAdaptersAddresses', 'uint32', [
      'uint32',
      'uint32',
      'void *',
      'void *',
      koffi.inout(koffi.pointer('uint32')),
    ]),
    cancelWatch: bindWaiting('CancelMibChangeNotify2', 'uint32', ['void *']),
  };
  const callback = koffi.proto('__stdcall', null, 'void', ['void *', 'void *', 'int']);
  const watchParameters = ['uint16', koffi.pointer(callback), 'void *', 'uint8', returned('void *')];
  const watches = ['NotifyIpInterfaceChange', 'NotifyUnicastIpAddressChange', 'NotifyRouteChange2'].map(
    (name) => ({ name, start: bind(name, 'uint32', watchParameters) }),
  );

  function rowsOf(call: string, table: Structure, type: Structure, get: (into: unknown[]) => unknown): Row[] {
    const into: unknown[] = [null];
    expectSuccess(call, get(into));
    const [found] = into;
    try {
      const count = Number(koffi.decode(found, 'uint32'));
      const rows: unknown = koffi.decode(
        found,
        koffi.offsetof(table.type, 'Table'),
        koffi.array(type.type, count),
      );
      return z.array(z.record(z.string(), z.unknown())).parse(rows);
    } finally {
      native.freeTable(found);
    }
  }

  const ipRow = ({ luid, family }: { luid: bigint; family: 4 | 6 }): Row => {
    const entry: Row = {};
    native.initializeIpInterface(entry);
    return Object.assign(entry, { Family: familyNumber[family], InterfaceLuid: luid });
  };
  const addressRow = ({ luid, address, prefixLength }: UnicastAddress): Row => {
    const entry: Row = {};
    native.initializeAddress(entry);
    return Object.assign(entry, {
      Address: socketAddress(address),
      InterfaceLuid: luid,
      PrefixOrigin: constants.IpPrefixOriginManual,
      SuffixOrigin: constants.IpSuffixOriginManual,
      OnLinkPrefixLength: prefixLength,
      // Without it, the address cannot be used until nobody has claimed it on a link where nobody is.
      DadState: constants.IpDadStatePreferred,
    });
  };
  const routeRow = ({ luid, prefix, nextHop, metric }: Route): Row => {
    const [address = '', length = ''] = prefix.split('/');
    const entry: Row = {};
    native.initializeRoute(entry);
    return Object.assign(entry, {
      InterfaceLuid: luid,
      DestinationPrefix: { Prefix: socketAddress(address), PrefixLength: Number(length) },
      NextHop: nextHop === undefined ? noAddress(familyOf(prefix)) : socketAddress(nextHop),
      Metric: metric,
      Protocol: constants.MIB_IPPROTO_NETMGMT,
    });
  };

  return {
    interfaces: () =>
      rowsOf('GetIfTable2', MIB_IF_TABLE2, MIB_IF_ROW2, (into) => native.interfaces(into)).map(readInterface),
    ipInterfaces: () =>
      rowsOf('GetIpInterfaceTable', MIB_IPINTERFACE_TABLE, MIB_IPINTERFACE_ROW, (into) =>
        native.ipInterfaces(constants.AF_UNSPEC, into),
      ).map(readIpInterface),
    setIpInterface(wanted: IpInterfaceSettings) {
      const entry = ipRow(wanted);
      const found = meaningOf('GetIpInterfaceEntry', native.getIpInterface(entry), {
        [ERROR_SUCCESS]: 'found',
        [ERROR_NOT_FOUND]: 'no-protocol',
      });
      if (found === 'no-protocol') return found;
      Object.assign(entry, {
        UseAutomaticMetric: 0,
        Metric: wanted.metric,
        NlMtu: wanted.mtu,
        RouterDiscoveryBehavior: constants.RouterDiscoveryDisabled,
        ManagedAddressConfigurationSupported: 0,
        OtherStatefulConfigurationSupported: 0,
        DadTransmits: 0,
        // Otherwise the interface's default route may be one that is never used (amnezia-client 3158).
        DisableDefaultRoutes: 0,
      });
      // What was read of IPv4 is refused as it is (Microsoft's documentation of SetIpInterfaceEntry).
      if (wanted.family === 4) Object.assign(entry, { SitePrefixLength: 0 });
      return meaningOf('SetIpInterfaceEntry', native.setIpInterface(entry), {
        [ERROR_SUCCESS]: 'set',
        [ERROR_NOT_FOUND]: 'no-protocol',
      });
    },
    addresses: () =>
      rowsOf('GetUnicastIpAddressTable', MIB_UNICASTIPADDRESS_TABLE, MIB_UNICASTIPADDRESS_ROW, (into) =>
        native.addresses(constants.AF_UNSPEC, into),
      ).flatMap(readAddress),
    createAddress: (address) =>
      meaningOf('CreateUnicastIpAddressEntry', native.createAddress(addressRow(address)), creation),
    deleteAddress: (address) =>
      meaningOf('DeleteUnicastIpAddressEntry', native.deleteAddress(addressRow(address)), deletion),
    routes: () =>
      rowsOf('GetIpForwardTable2', MIB_IPFORWARD_TABLE2, MIB_IPFORWARD_ROW2, (into) =>
        native.routes(constants.AF_UNSPEC, into),
      ).flatMap(readRoute),
    createRoute: (route) => meaningOf('CreateIpForwardEntry2', native.createRoute(routeRow(route)), creation),
    setRoute: (route) =>
      meaningOf('SetIpForwardEntry2', native.setRoute(routeRow(route)), {
        [ERROR_SUCCESS]: 'set',
        [ERROR_NOT_FOUND]: 'absent',
      }),
    deleteRoute: (route) => meaningOf('DeleteIpForwardEntry2', native.deleteRoute(routeRow(route)), deletion),
    resolvers: () => readResolvers(native.adapters),
    watch(onChange) {
      let isWatching = true;
      const called = koffi.register(() => {
        if (isWatching) onChange();
      }, koffi.pointer(callback));
      const handles = watches.map(({ name, start }) => {
        const into: unknown[] = [null];
        expectSuccess(name, start(constants.AF_UNSPEC, called, null, 0, into));
        return into[0];
      });
      return () => {
        if (!isWatching) return;
        isWatching = false;
        // Waits for callbacks that are being made, and these wait for this thread.
        void Promise.allSettled(handles.map((handle) => native.cancelWatch(handle))).then(() =>
          koffi.unregister(called),
        );
      };
    },
  };
}
