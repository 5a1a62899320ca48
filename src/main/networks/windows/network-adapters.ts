import koffi from 'koffi';
import { z } from 'zod/mini';
import { entriesFrom, pointer, withAdapters } from '#node/os/windows/adapter-list.ts';
import {
  adapterConstants as constants,
  IP_ADAPTER_ADDRESSES_LH,
  IP_ADAPTER_GATEWAY_ADDRESS_LH,
  SOCKADDR_IN6,
} from '#node/os/windows/adapter-structures.ts';
import { changed, loadLibrary } from '#node/os/windows/native-library.ts';
import { sizeOf } from '#node/os/windows/structure.ts';

/** An adapter that is up. */
export interface NetworkAdapter {
  /** With braces, as the system names it. */
  guid: string;
  /** What its maker calls it. */
  description: string;
  /** Its kind, by IANA's numbers (ifType). */
  type: number;
  /** Of IPv4 and of IPv6; the lower one is preferred. */
  metrics: { ipv4: number; ipv6: number };
  /** Its routers, as bytes in hexadecimal, for comparison only. */
  routers: string[];
}

const flags =
  constants.GAA_FLAG_SKIP_UNICAST |
  constants.GAA_FLAG_SKIP_ANYCAST |
  constants.GAA_FLAG_SKIP_MULTICAST |
  constants.GAA_FLAG_SKIP_DNS_SERVER |
  constants.GAA_FLAG_INCLUDE_GATEWAYS;

const adapter = z.object({
  Next: pointer,
  AdapterName: pointer,
  Description: pointer,
  IfType: z.number(),
  OperStatus: z.number(),
  FirstGatewayAddress: pointer,
  Ipv4Metric: z.number(),
  Ipv6Metric: z.number(),
});
const router = z.object({
  Next: pointer,
  Address: z.object({ lpSockaddr: z.bigint(), iSockaddrLength: z.number() }),
});
const maxAddressBytes = sizeOf(SOCKADDR_IN6);

/** The adapters that are up, as the system says; throws `CallFailed`. */
export function createAdapterReader(library = 'iphlpapi.dll'): () => NetworkAdapter[] {
  const getAdapters = loadLibrary(library).bind('GetAdaptersAddresses', 'uint32', [
    'uint32',
    'uint32',
    'void *',
    'void *',
    changed('uint32'),
  ]);
  return () => withAdapters(getAdapters, flags, adaptersFrom) ?? [];
}

const adaptersFrom = (first: bigint): NetworkAdapter[] =>
  entriesFrom(first, IP_ADAPTER_ADDRESSES_LH, adapter)
    .filter(({ OperStatus }) => OperStatus === constants.IfOperStatusUp)
    .map((found) => ({
      guid: text(found.AdapterName, 'char'),
      description: text(found.Description, 'char16_t'),
      type: found.IfType,
      metrics: { ipv4: found.Ipv4Metric, ipv6: found.Ipv6Metric },
      routers: entriesFrom(found.FirstGatewayAddress, IP_ADAPTER_GATEWAY_ADDRESS_LH, router).map(
        ({ Address: { lpSockaddr, iSockaddrLength } }) =>
          Buffer.from(
            new Uint8Array(koffi.view(lpSockaddr, Math.min(iSockaddrLength, maxAddressBytes))),
          ).toString('hex'),
      ),
    }));

const text = (at: bigint | null, type: 'char' | 'char16_t'): string =>
  at === null || at === 0n ? '' : String(koffi.decode(at, type, -1));
