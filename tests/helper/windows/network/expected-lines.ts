import ipaddr from 'ipaddr.js';
import { z } from 'zod/mini';
import type {
  Filter,
  FilterCondition,
  Provider,
  Sublayer,
} from '../../../../helper/windows/calls/filtering.ts';
import type {
  IpInterfaceSettings,
  Route,
  UnicastAddress,
} from '../../../../helper/windows/calls/ip-helper.ts';
import type { RecordedCall } from '../../../unit/helper/windows/model/record-calls.ts';

/** What the double has to write for a call; said anew, with the numbers of Microsoft's documentation. */
export function expectedLines(call: RecordedCall): object[] {
  switch (call.part) {
    case 'filtering':
      return [
        {
          call: 'FwpmEngineOpen0',
          local: true,
          service: 10,
          flags: call.given[0] === 'dynamic' ? 1 : 0,
          wait: 5_000,
        },
      ];
    case 'session':
      return sessionLines(call.call, call.given[0]);
    case 'ipHelper':
      return ipHelperLines(call.call, call.given[0]);
    case 'resolverClient':
      return resolverLines[call.call] ?? [];
    case 'registry':
      return [];
    default:
      return call satisfies never;
  }
}

const resolverLines: Readonly<Record<string, object[]>> = {
  flush: [{ call: 'DnsFlushResolverCache' }],
  refreshPolicies: [{ call: 'RefreshPolicyEx', machine: 1, options: 1 }],
};

function ipHelperLines(call: string, given: unknown): object[] {
  const names: Readonly<Record<string, string>> = {
    createRoute: 'CreateIpForwardEntry2',
    setRoute: 'SetIpForwardEntry2',
    deleteRoute: 'DeleteIpForwardEntry2',
    createAddress: 'CreateUnicastIpAddressEntry',
    deleteAddress: 'DeleteUnicastIpAddressEntry',
  };
  const name = names[call];
  if (call === 'setIpInterface') return [interfaceLine(given as IpInterfaceSettings)];
  if (name === undefined) return [];
  return call.endsWith('Route')
    ? [routeLine(name, given as Route)]
    : [addressLine(name, given as UnicastAddress)];
}

const forever = 0xffffffff;

const routeLine = (call: string, { luid, prefix, nextHop, metric }: Route) => ({
  call,
  luid: luid.toString(16),
  prefix: whole(prefix),
  nextHop: whole(nextHop ?? (prefix.includes(':') ? '::' : '0.0.0.0')),
  metric,
  protocol: 3,
  lifetimes: [forever, forever],
  flags: [1, 1, 1, 1],
  origin: 0,
});

const addressLine = (call: string, { luid, address, prefixLength }: UnicastAddress) => ({
  call,
  luid: luid.toString(16),
  address: `${whole(address)}/${prefixLength}`,
  origins: [1, 1],
  lifetimes: [forever, forever],
  skipAsSource: 0,
  dadState: 4,
});

/** What is not set stays as it was read, except for what IPv4 does not allow to be written. */
const interfaceLine = ({ luid, family, metric, mtu }: IpInterfaceSettings) => ({
  call: 'SetIpInterfaceEntry',
  family: family === 4 ? 2 : 23,
  luid: luid.toString(16),
  automaticMetric: 0,
  metric,
  mtu,
  routerDiscovery: 0,
  managed: [0, 0],
  dadTransmits: 0,
  sitePrefixLength: family === 4 ? 0 : 64,
  disableDefaultRoutes: 0,
  weakHostSend: 1,
  reachableTime: 31_337,
});

function sessionLines(call: string, given: unknown): object[] {
  switch (call) {
    case 'begin':
      return [{ call: 'FwpmTransactionBegin0', flags: 0 }];
    case 'commit':
      return [{ call: 'FwpmTransactionCommit0' }];
    case 'abort':
      return [{ call: 'FwpmTransactionAbort0' }];
    case 'close':
      return [{ call: 'FwpmEngineClose0' }];
    case 'addProvider': {
      const { key, name } = given as Provider;
      return [{ call: 'FwpmProviderAdd0', key, name, flags: 1 }];
    }
    case 'addSublayer': {
      const { key, name, provider, weight } = given as Sublayer;
      return [{ call: 'FwpmSubLayerAdd0', key, name, flags: 1, provider, weight }];
    }
    case 'addFilter':
      return filterLines(given as Filter);
    case 'deleteFilter':
      return [{ call: 'FwpmFilterDeleteByKey0', key: z.string().parse(given) }];
    case 'deleteSublayer':
      return [{ call: 'FwpmSubLayerDeleteByKey0', key: z.string().parse(given) }];
    case 'deleteProvider':
      return [{ call: 'FwpmProviderDeleteByKey0', key: z.string().parse(given) }];
    default:
      throw new Error(`not a call that changes something: ${call}`);
  }
}

const layerKeys = {
  'connect-4': 'c38d57d1-05a7-4c33-904f-7fbceee60e82',
  'connect-6': '4a72393b-319f-44bc-84c3-ba54dcb3b6b4',
  'accept-4': 'e1cd9fe7-f4b5-4273-96c0-592e487b8650',
  'accept-6': 'a3b42c97-9f04-4672-b87e-cee9c483257f',
} as const;
const lifetimes = { running: 0, persistent: 1, 'boot-time': 2 } as const;

function filterLines(filter: Filter): object[] {
  const programs = filter.conditions.filter(({ field }) => field === 'program');
  return [
    // What the system has made for the name of a program is given back.
    ...programs.map(() => ({ call: 'FwpmFreeMemory0' })),
    {
      call: 'FwpmFilterAdd0',
      key: filter.key,
      name: filter.name,
      flags: lifetimes[filter.lifetime] + (filter.isFinal ? 8 : 0),
      provider: filter.provider ?? 'none',
      layer: layerKeys[filter.layer],
      sublayer: filter.sublayer,
      weight: [1, filter.weight],
      action: filter.action === 'block' ? 0x1001 : 0x1002,
      context: 0,
      conditions: filter.conditions.map(conditionLine),
    },
  ];
}

const remote = 'b235ae9a-1d64-49b8-a44c-5ff3d9095045';
const localPort = '0c1ba1af-5765-453f-af22-a8f791ac775b';

/** Its field, how it is compared, the type of its value, and that as text. */
function conditionLine(condition: FilterCondition): [string, number, number, string] {
  switch (condition.field) {
    case 'loopback':
      return ['632ce23b-5167-435c-86d7-e903684aa80c', 6, 3, '1'];
    case 'interface':
      return ['4cd62a49-59c3-4969-b7f3-bda5d32890a4', 0, 4, condition.luid.toString(16)];
    case 'local-address': {
      const isFour = !condition.address.includes(':');
      const number = ipaddr
        .parse(condition.address)
        .toByteArray()
        .reduce((all, byte) => all * 256 + byte, 0);
      const field = 'd9ee00de-c1ef-4617-bfe3-ffd8f5a08957';
      return isFour ? [field, 0, 3, String(number)] : [field, 0, 11, whole(condition.address)];
    }
    case 'remote-prefix': {
      const [address = '', length = ''] = condition.prefix.split('/');
      if (address.includes(':')) return [remote, 0, 0x101, `${whole(address)}/${length}`];
      return [
        remote,
        0,
        0x100,
        `${address}/${ipaddr.IPv4.subnetMaskFromPrefixLength(Number(length)).toString()}`,
      ];
    }
    case 'remote-range':
      return [remote, 5, 0x102, `${whole(condition.first)}-${whole(condition.last)}`];
    case 'protocol':
      return ['3971ef2b-623e-4f9a-8cb1-6e79b806b9a7', 0, 1, String(condition.protocol)];
    case 'local-port':
      return [localPort, 0, 2, String(condition.port)];
    case 'icmp-type':
      return [localPort, 0, 2, String(condition.type)];
    case 'remote-port':
      return ['c35a604d-d22b-4e1a-91b4-68f674ee674b', 0, 2, String(condition.port)];
    case 'program':
      return ['d78e1e87-8644-4ea5-9437-d809ecefc971', 0, 12, condition.file];
    case 'user':
      return [
        'af043a0a-b34d-4f86-979c-c90371af6e66',
        0,
        14,
        `O:SYG:SYD:(A;;CC;;;${asWritten(condition.sid)})`,
      ];
    default:
      return condition satisfies never;
  }
}

/** Windows writes these accounts by two letters (Microsoft's documentation, "SID Strings"). */
const asWritten = (sid: string): string =>
  new Map([
    ['S-1-5-18', 'SY'],
    ['S-1-5-19', 'LS'],
  ]).get(sid) ?? sid;

/** All groups of an address of IPv6, as the double writes them; a prefix likewise. */
function whole(text: string): string {
  const [address = '', length] = text.split('/');
  const all = address.includes(':') ? ipaddr.IPv6.parse(address).toNormalizedString() : address;
  return length === undefined ? all : `${all}/${length}`;
}
