import { BlockList, isIPv6 } from 'node:net';
import { SystemChangeFailed } from './ports/system-change-failed.ts';

/** The gateway assigned an address that this machine must not have. */
export class AddressConflict extends SystemChangeFailed {
  override name = 'AddressConflict';
  override readonly reason = 'address-conflict';
}

/**
 * Throws if an address that a gateway assigned is in one of this machine's networks, or is the gateway's own: packets
 * to or from there would be routed wrongly, whatever the rules for the tunnel's address.
 */
export function expectNoConflict(
  assigned: readonly string[],
  { networks, gateway }: { networks: readonly string[]; gateway: string },
): void {
  const ours = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    ours.addSubnet(address, Number(length), familyOf(address));
  }
  ours.addAddress(gateway, familyOf(gateway));
  const conflict = assigned.find((address) => ours.check(address, familyOf(address)));
  if (conflict !== undefined) {
    throw new AddressConflict(`the gateway assigned ${conflict}, which is of this machine's own network`);
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
