import koffi from 'koffi';
import { z } from 'zod/mini';
import {
  adapterConstants as constants,
  IP_ADAPTER_ADDRESSES_LH,
  IP_ADAPTER_DNS_SERVER_ADDRESS_XP,
} from '#node/os/windows/adapter-structures.ts';
import type { InterfaceResolver } from './ip-helper.ts';
import { SOCKADDR_INET } from './ip-helper-structures.ts';
import { entriesFrom, pointer, withAdapters } from '#node/os/windows/adapter-list.ts';
import type { NativeCall } from '#node/os/windows/native-library.ts';
import { addressOf } from './socket-address.ts';

const skipped =
  constants.GAA_FLAG_SKIP_UNICAST |
  constants.GAA_FLAG_SKIP_ANYCAST |
  constants.GAA_FLAG_SKIP_MULTICAST |
  constants.GAA_FLAG_SKIP_FRIENDLY_NAME;

const adapter = z.object({
  Next: pointer,
  FirstDnsServerAddress: pointer,
  OperStatus: z.number(),
  Luid: z.pipe(
    z.union([z.bigint(), z.number()]),
    z.transform((value: bigint | number) => BigInt(value)),
  ),
});
const server = z.object({
  Next: pointer,
  Address: z.object({ lpSockaddr: z.bigint(), iSockaddrLength: z.number() }),
});
const inet = z.object({ family: z.number(), ipv4: z.instanceof(Uint8Array), ipv6: z.instanceof(Uint8Array) });

/** The resolvers of all interfaces that are up. `getAdapters`: GetAdaptersAddresses. */
export const readResolvers = (getAdapters: NativeCall): InterfaceResolver[] =>
  withAdapters(getAdapters, skipped, resolversFrom) ?? [];

function resolversFrom(first: bigint): InterfaceResolver[] {
  const found: InterfaceResolver[] = [];
  for (const { FirstDnsServerAddress, OperStatus, Luid } of entriesFrom(
    first,
    IP_ADAPTER_ADDRESSES_LH,
    adapter,
  )) {
    if (OperStatus !== constants.IfOperStatusUp) continue;
    for (const { Address } of entriesFrom(FirstDnsServerAddress, IP_ADAPTER_DNS_SERVER_ADDRESS_XP, server)) {
      const address = addressIn(Address);
      if (address !== undefined) found.push({ luid: Luid, address });
    }
  }
  return found;
}

/** An address of IPv4 is shorter than the structure for both. */
function addressIn({ lpSockaddr, iSockaddrLength }: z.output<typeof server>['Address']): string | undefined {
  const whole = Buffer.alloc(koffi.sizeof(SOCKADDR_INET.type));
  whole.set(new Uint8Array(koffi.view(lpSockaddr, Math.min(iSockaddrLength, whole.length))));
  return addressOf({ ...inet.parse(koffi.decode(whole, SOCKADDR_INET.type)), port: 0, scope: 0 });
}
