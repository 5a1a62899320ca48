import koffi from 'koffi';
import { z } from 'zod/mini';
import {
  adapterConstants as constants,
  IP_ADAPTER_ADDRESSES_LH,
  IP_ADAPTER_DNS_SERVER_ADDRESS_XP,
} from './adapter-structures.ts';
import type { InterfaceResolver } from './ip-helper.ts';
import { ipHelperConstants, SOCKADDR_INET } from './ip-helper-structures.ts';
import type { NativeCall } from '#node/os/windows/native-library.ts';
import { addressOf } from './socket-address.ts';
import { codeOf, expectSuccess } from './system-error.ts';

/** What Microsoft advises to begin with; it grows as the system says. */
const firstBytes = 15_000;
const maxAttempts = 5;
/** More than any machine has; a list that has no end is none. */
const maxEntries = 4_096;

const skipped =
  constants.GAA_FLAG_SKIP_UNICAST |
  constants.GAA_FLAG_SKIP_ANYCAST |
  constants.GAA_FLAG_SKIP_MULTICAST |
  constants.GAA_FLAG_SKIP_FRIENDLY_NAME;

const pointer = z.nullable(z.bigint());
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
export function readResolvers(getAdapters: NativeCall): InterfaceResolver[] {
  let size = firstBytes;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const [memory, wanted]: [Buffer, unknown[]] = [Buffer.alloc(size), [size]];
    const code = codeOf(getAdapters(ipHelperConstants.AF_UNSPEC, skipped, null, memory, wanted));
    if (code === constants.ERROR_NO_DATA) return [];
    if (code !== constants.ERROR_BUFFER_OVERFLOW || attempt === maxAttempts - 1) {
      expectSuccess('GetAdaptersAddresses', code);
      return resolversIn(memory);
    }
    size = Number(wanted[0]);
  }
  return [];
}

function resolversIn(memory: Buffer): InterfaceResolver[] {
  const found: InterfaceResolver[] = [];
  for (const { FirstDnsServerAddress, OperStatus, Luid } of listFrom(
    koffi.address(memory),
    IP_ADAPTER_ADDRESSES_LH,
    adapter,
  )) {
    if (OperStatus !== ipHelperConstants.IfOperStatusUp) continue;
    for (const { Address } of listFrom(FirstDnsServerAddress, IP_ADAPTER_DNS_SERVER_ADDRESS_XP, server)) {
      const address = addressIn(Address);
      if (address !== undefined) found.push({ luid: Luid, address });
    }
  }
  // The lists are in this memory, to which nothing else refers by now.
  return memory.length > 0 ? found : [];
}

function listFrom<Entry extends { Next: bigint | null }>(
  first: bigint | null,
  { type }: { type: Parameters<typeof koffi.sizeof>[0] },
  schema: z.core.$ZodType<Entry>,
): Entry[] {
  const entries: Entry[] = [];
  for (let at = first; at !== null && at !== 0n && entries.length < maxEntries;) {
    const entry = z.parse(schema, koffi.decode(at, type));
    entries.push(entry);
    at = entry.Next;
  }
  return entries;
}

/** An address of IPv4 is shorter than the structure for both. */
function addressIn({ lpSockaddr, iSockaddrLength }: z.output<typeof server>['Address']): string | undefined {
  const whole = Buffer.alloc(koffi.sizeof(SOCKADDR_INET.type));
  whole.set(new Uint8Array(koffi.view(lpSockaddr, Math.min(iSockaddrLength, whole.length))));
  return addressOf({ ...inet.parse(koffi.decode(whole, SOCKADDR_INET.type)), port: 0, scope: 0 });
}
