import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { SystemChangeFailed } from './ports/system-change-failed.ts';

/** The gateway assigned an address that this machine must not have. */
class AddressConflict extends SystemChangeFailed {
  override name = 'AddressConflict';
  override readonly reason = 'address-conflict';
}

/**
 * Throws if an address that a gateway assigned is in one of this machine's networks, or is the gateway's own: packets
 * to or from there would be routed wrongly, whatever the rules for the tunnel's address.
 */
export function expectNoConflict(
  assigned: readonly string[],
  { networks, gateways }: { networks: readonly string[]; gateways: readonly string[] },
): void {
  for (const address of assigned) {
    if (gateways.includes(address))
      throw new AddressConflict(`the gateway assigned ${address}, its own address`);
    const ours = networks.find((network) => isInsidePrefix(address, network));
    if (ours === undefined) continue;
    throw new AddressConflict(
      `the gateway assigned ${address}, which is in this machine's own network ${ours}`,
    );
  }
}
