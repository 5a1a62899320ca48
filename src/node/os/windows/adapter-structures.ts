import koffi from 'koffi';
import { GUID } from './guid.ts';
import { bytes, structure } from './structure.ts';

/** Structures of <iptypes.h>, which point to each other, and of <winsock2.h>. */

export const SOCKET_ADDRESS = structure('SOCKET_ADDRESS', { lpSockaddr: 'void *', iSockaddrLength: 'int32' });

/** The longest address of a socket that is used here. */
export const SOCKADDR_IN6 = structure('SOCKADDR_IN6', {
  sin6_family: 'uint16',
  sin6_port: 'uint16',
  sin6_flowinfo: 'uint32',
  sin6_addr: bytes(16),
  sin6_scope_id: 'uint32',
});

export const IP_ADAPTER_DNS_SERVER_ADDRESS_XP = structure('IP_ADAPTER_DNS_SERVER_ADDRESS_XP', {
  Alignment: 'uint64',
  Next: 'void *',
  Address: SOCKET_ADDRESS.type,
});

export const IP_ADAPTER_GATEWAY_ADDRESS_LH = structure('IP_ADAPTER_GATEWAY_ADDRESS_LH', {
  Alignment: 'uint64',
  Next: 'void *',
  Address: SOCKET_ADDRESS.type,
});

/** MAX_ADAPTER_ADDRESS_LENGTH and MAX_DHCPV6_DUID_LENGTH. */
const physicalAddressLength = 8;
const duidLength = 130;

export const IP_ADAPTER_ADDRESSES_LH = structure('IP_ADAPTER_ADDRESSES_LH', {
  Alignment: 'uint64',
  Next: 'void *',
  AdapterName: 'void *',
  FirstUnicastAddress: 'void *',
  FirstAnycastAddress: 'void *',
  FirstMulticastAddress: 'void *',
  FirstDnsServerAddress: 'void *',
  DnsSuffix: 'void *',
  Description: 'void *',
  FriendlyName: 'void *',
  PhysicalAddress: bytes(physicalAddressLength),
  PhysicalAddressLength: 'uint32',
  Flags: 'uint32',
  Mtu: 'uint32',
  IfType: 'uint32',
  OperStatus: 'int32',
  Ipv6IfIndex: 'uint32',
  ZoneIndices: koffi.array('uint32', 16),
  FirstPrefix: 'void *',
  TransmitLinkSpeed: 'uint64',
  ReceiveLinkSpeed: 'uint64',
  FirstWinsServerAddress: 'void *',
  FirstGatewayAddress: 'void *',
  Ipv4Metric: 'uint32',
  Ipv6Metric: 'uint32',
  Luid: 'uint64',
  Dhcpv4Server: SOCKET_ADDRESS.type,
  CompartmentId: 'uint32',
  NetworkGuid: GUID.type,
  ConnectionType: 'int32',
  TunnelType: 'int32',
  Dhcpv6Server: SOCKET_ADDRESS.type,
  Dhcpv6ClientDuid: bytes(duidLength),
  Dhcpv6ClientDuidLength: 'uint32',
  Dhcpv6Iaid: 'uint32',
  FirstDnsSuffix: 'void *',
});

export const adapterConstants = {
  GAA_FLAG_SKIP_UNICAST: 1,
  GAA_FLAG_SKIP_ANYCAST: 2,
  GAA_FLAG_SKIP_MULTICAST: 4,
  GAA_FLAG_SKIP_DNS_SERVER: 8,
  GAA_FLAG_SKIP_FRIENDLY_NAME: 0x20,
  GAA_FLAG_INCLUDE_GATEWAYS: 0x80,
  AF_UNSPEC: 0,
  IfOperStatusUp: 1,
  IF_TYPE_ETHERNET_CSMACD: 6,
  IF_TYPE_IEEE80211: 71,
  ERROR_BUFFER_OVERFLOW: 111,
  ERROR_NO_DATA: 232,
} as const;
