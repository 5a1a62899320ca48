import koffi from 'koffi';
import { GUID } from '#node/os/windows/guid.ts';
import { bytes, structure, type Structure } from '#node/os/windows/structure.ts';

/** Structures of <netioapi.h> and of what it includes. */

/** `si_family` and the rest are members of a union with `Ipv4` and `Ipv6`. */
export const SOCKADDR_INET = structure(
  'SOCKADDR_INET',
  { family: 'uint16', port: 'uint16', ipv4: bytes(4), ipv6: bytes(16), scope: 'uint32' },
  {
    family: 'si_family',
    port: 'Ipv4.sin_port',
    ipv4: 'Ipv4.sin_addr',
    ipv6: 'Ipv6.sin6_addr',
    scope: 'Ipv6.sin6_scope_id',
  },
);

export const IP_ADDRESS_PREFIX = structure('IP_ADDRESS_PREFIX', {
  Prefix: SOCKADDR_INET.type,
  PrefixLength: 'uint8',
});

export const MIB_IPFORWARD_ROW2 = structure('MIB_IPFORWARD_ROW2', {
  InterfaceLuid: 'uint64',
  InterfaceIndex: 'uint32',
  DestinationPrefix: IP_ADDRESS_PREFIX.type,
  NextHop: SOCKADDR_INET.type,
  SitePrefixLength: 'uint8',
  ValidLifetime: 'uint32',
  PreferredLifetime: 'uint32',
  Metric: 'uint32',
  Protocol: 'int32',
  Loopback: 'uint8',
  AutoconfigureAddress: 'uint8',
  Publish: 'uint8',
  Immortal: 'uint8',
  Age: 'uint32',
  Origin: 'int32',
});

export const MIB_UNICASTIPADDRESS_ROW = structure('MIB_UNICASTIPADDRESS_ROW', {
  Address: SOCKADDR_INET.type,
  InterfaceLuid: 'uint64',
  InterfaceIndex: 'uint32',
  PrefixOrigin: 'int32',
  SuffixOrigin: 'int32',
  ValidLifetime: 'uint32',
  PreferredLifetime: 'uint32',
  OnLinkPrefixLength: 'uint8',
  SkipAsSource: 'uint8',
  DadState: 'int32',
  ScopeId: 'uint32',
  CreationTimeStamp: 'int64',
});

export const MIB_IPINTERFACE_ROW = structure('MIB_IPINTERFACE_ROW', {
  Family: 'uint16',
  InterfaceLuid: 'uint64',
  InterfaceIndex: 'uint32',
  MaxReassemblySize: 'uint32',
  InterfaceIdentifier: 'uint64',
  MinRouterAdvertisementInterval: 'uint32',
  MaxRouterAdvertisementInterval: 'uint32',
  AdvertisingEnabled: 'uint8',
  ForwardingEnabled: 'uint8',
  WeakHostSend: 'uint8',
  WeakHostReceive: 'uint8',
  UseAutomaticMetric: 'uint8',
  UseNeighborUnreachabilityDetection: 'uint8',
  ManagedAddressConfigurationSupported: 'uint8',
  OtherStatefulConfigurationSupported: 'uint8',
  AdvertiseDefaultRoute: 'uint8',
  RouterDiscoveryBehavior: 'int32',
  DadTransmits: 'uint32',
  BaseReachableTime: 'uint32',
  RetransmitTime: 'uint32',
  PathMtuDiscoveryTimeout: 'uint32',
  LinkLocalAddressBehavior: 'int32',
  LinkLocalAddressTimeout: 'uint32',
  ZoneIndices: koffi.array('uint32', 16),
  SitePrefixLength: 'uint32',
  Metric: 'uint32',
  NlMtu: 'uint32',
  Connected: 'uint8',
  SupportsWakeUpPatterns: 'uint8',
  SupportsNeighborDiscovery: 'uint8',
  SupportsRouterDiscovery: 'uint8',
  ReachableTime: 'uint32',
  TransmitOffload: 'uint8',
  ReceiveOffload: 'uint8',
  DisableDefaultRoutes: 'uint8',
});

/** IF_MAX_STRING_SIZE and IF_MAX_PHYS_ADDRESS_LENGTH of <ifdef.h>. */
const nameLength = 257;
const physicalAddressLength = 32;

export const MIB_IF_ROW2 = structure('MIB_IF_ROW2', {
  InterfaceLuid: 'uint64',
  InterfaceIndex: 'uint32',
  InterfaceGuid: GUID.type,
  Alias: koffi.array('uint16', nameLength, 'Typed'),
  Description: koffi.array('uint16', nameLength, 'Typed'),
  PhysicalAddressLength: 'uint32',
  PhysicalAddress: bytes(physicalAddressLength),
  PermanentPhysicalAddress: bytes(physicalAddressLength),
  Mtu: 'uint32',
  Type: 'uint32',
  TunnelType: 'int32',
  MediaType: 'int32',
  PhysicalMediumType: 'int32',
  AccessType: 'int32',
  DirectionType: 'int32',
  InterfaceAndOperStatusFlags: 'uint8',
  OperStatus: 'int32',
  AdminStatus: 'int32',
  MediaConnectState: 'int32',
  NetworkGuid: GUID.type,
  ConnectionType: 'int32',
  TransmitLinkSpeed: 'uint64',
  ReceiveLinkSpeed: 'uint64',
  InOctets: 'uint64',
  InUcastPkts: 'uint64',
  InNUcastPkts: 'uint64',
  InDiscards: 'uint64',
  InErrors: 'uint64',
  InUnknownProtos: 'uint64',
  InUcastOctets: 'uint64',
  InMulticastOctets: 'uint64',
  InBroadcastOctets: 'uint64',
  OutOctets: 'uint64',
  OutUcastPkts: 'uint64',
  OutNUcastPkts: 'uint64',
  OutDiscards: 'uint64',
  OutErrors: 'uint64',
  OutUcastOctets: 'uint64',
  OutMulticastOctets: 'uint64',
  OutBroadcastOctets: 'uint64',
  OutQLen: 'uint64',
});

/** Tables begin with the number of their rows. */
const table = (name: string, row: Structure) =>
  structure(name, { NumEntries: 'uint32', Table: koffi.array(row.type, 1) });

export const MIB_IPFORWARD_TABLE2 = table('MIB_IPFORWARD_TABLE2', MIB_IPFORWARD_ROW2);
export const MIB_UNICASTIPADDRESS_TABLE = table('MIB_UNICASTIPADDRESS_TABLE', MIB_UNICASTIPADDRESS_ROW);
export const MIB_IPINTERFACE_TABLE = table('MIB_IPINTERFACE_TABLE', MIB_IPINTERFACE_ROW);
export const MIB_IF_TABLE2 = table('MIB_IF_TABLE2', MIB_IF_ROW2);

/** Of <ws2def.h>, <nldef.h>, <ifdef.h> and <ipifcons.h>. */
export const ipHelperConstants = {
  AF_UNSPEC: 0,
  AF_INET: 2,
  AF_INET6: 23,
  MIB_IPPROTO_NETMGMT: 3,
  NlroManual: 0,
  IpPrefixOriginManual: 1,
  IpSuffixOriginManual: 1,
  IpDadStatePreferred: 4,
  RouterDiscoveryDisabled: 0,
  IfOperStatusUp: 1,
  IF_TYPE_SOFTWARE_LOOPBACK: 24,
} as const;
