import koffi from 'koffi';
import { z } from 'zod/mini';
import { guidOfBytes, GUID, type Guid } from '#node/os/windows/guid.ts';
import { placeOf } from '#node/os/windows/structure.ts';
import type { Interface, IpInterface, Route, UnicastAddress } from './ip-helper.ts';
import { ipHelperConstants as constants } from './ip-helper-structures.ts';
import { addressBytesOf, addressOf, textOf, type SocketAddress } from './socket-address.ts';

/** A row of one of the IP helper's tables, decoded, with C's names. */
export type Row = Record<string, unknown>;

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

export function readInterface(given: Row): Interface {
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
  bytes.writeUInt16LE(value.Data2, placeOf(GUID, 'Data2'));
  bytes.writeUInt16LE(value.Data3, placeOf(GUID, 'Data3'));
  bytes.set(value.Data4, placeOf(GUID, 'Data4'));
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

export function readIpInterface(given: Row): IpInterface {
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

export function readAddress(given: Row): UnicastAddress[] {
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

export function readRoute(given: Row): Route[] {
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
