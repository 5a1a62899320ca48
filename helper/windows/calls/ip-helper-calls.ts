import koffi from 'koffi';
import { z } from 'zod/mini';
import { readResolvers } from './adapter-resolvers.ts';
import { guidOfBytes, GUID, type Guid } from '#node/os/windows/guid.ts';
import type {
  Interface,
  IpHelper,
  IpInterface,
  IpInterfaceSettings,
  Route,
  UnicastAddress,
} from './ip-helper.ts';
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
import {
  addressBytesOf,
  addressOf,
  familyNumber,
  familyOf,
  noAddress,
  socketAddress,
  textOf,
  type SocketAddress,
} from './socket-address.ts';
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

type Row = Record<string, unknown>;

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

const anyNumber = z.union([z.bigint(), z.number()]);
const number = z.pipe(
  anyNumber,
  z.transform((value: bigint | number) => Number(value)),
);
const big = z.pipe(
  anyNumber,
  z.transform((value: bigint | number) => BigInt(value)),
);
const octets = z.instanceof(Uint8Array);
const inet = z.object({ family: number, port: number, ipv4: octets, ipv6: octets, scope: number });

const interfaceRow = z.object({
  InterfaceLuid: big,
  InterfaceGuid: z.object({ Data1: number, Data2: number, Data3: number, Data4: octets }),
  Alias: z.instanceof(Uint16Array),
  Type: number,
  OperStatus: number,
  InOctets: big,
  OutOctets: big,
});

function readInterface(given: Row): Interface {
  const row = interfaceRow.parse(given);
  return {
    luid: row.InterfaceLuid,
    guid: readGuid(row.InterfaceGuid),
    alias: textUntilZero(row.Alias),
    isUp: row.OperStatus === constants.IfOperStatusUp,
    isLoopback: row.Type === constants.IF_TYPE_SOFTWARE_LOOPBACK,
    receivedBytes: row.InOctets,
    sentBytes: row.OutOctets,
  };
}

function readGuid(value: z.output<typeof interfaceRow>['InterfaceGuid']): Guid {
  const bytes = Buffer.alloc(koffi.sizeof(GUID.type));
  bytes.writeUInt32LE(value.Data1, 0);
  bytes.writeUInt16LE(value.Data2, 4);
  bytes.writeUInt16LE(value.Data3, 6);
  bytes.set(value.Data4, 8);
  return guidOfBytes(bytes);
}

function textUntilZero(units: Uint16Array): string {
  const end = units.indexOf(0);
  return String.fromCharCode(...units.subarray(0, end < 0 ? units.length : end));
}

const ipInterfaceRow = z.object({
  InterfaceLuid: big,
  Family: number,
  Metric: number,
  UseAutomaticMetric: number,
  NlMtu: number,
  Connected: number,
  DisableDefaultRoutes: number,
});

function readIpInterface(given: Row): IpInterface {
  const row = ipInterfaceRow.parse(given);
  return {
    luid: row.InterfaceLuid,
    family: row.Family === constants.AF_INET6 ? 6 : 4,
    metric: row.Metric,
    isMetricAutomatic: row.UseAutomaticMetric !== 0,
    mtu: row.NlMtu,
    isConnected: row.Connected !== 0,
    ignoresDefaultRoutes: row.DisableDefaultRoutes !== 0,
  };
}

const unicastRow = z.object({ Address: inet, InterfaceLuid: big, OnLinkPrefixLength: number });

function readAddress(given: Row): UnicastAddress[] {
  const row = unicastRow.parse(given);
  const address = addressOf(row.Address);
  if (address === undefined) return [];
  return [{ luid: row.InterfaceLuid, address, prefixLength: row.OnLinkPrefixLength }];
}

const forwardRow = z.object({
  InterfaceLuid: big,
  DestinationPrefix: z.object({ Prefix: inet, PrefixLength: number }),
  NextHop: inet,
  Metric: number,
});

function readRoute(given: Row): Route[] {
  const row = forwardRow.parse(given);
  const { Prefix, PrefixLength } = row.DestinationPrefix;
  const first = addressBytesOf(Prefix satisfies SocketAddress);
  if (!first) return [];
  return [
    {
      luid: row.InterfaceLuid,
      prefix: `${textOf(first)}/${PrefixLength}`,
      nextHop: addressOf(row.NextHop),
      metric: row.Metric,
    },
  ];
}
