import type { HostImplementation } from '#shared/host/contract.ts';
import { gatewayFormLimits } from '#shared/host/gateway-form.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import { sanitizeText } from '../sanitize-text.ts';
import type { GatewayMemory } from '../gateway-memory.ts';

/** The host contract's `gatewayGroup` group. `changed`: sessions of the previous group are useless now. */
export function createGroupHost(
  memory: Pick<GatewayMemory, 'group' | 'setGroup'>,
  changed: () => void,
): HostImplementation['gatewayGroup'] {
  return {
    get({ address }) {
      const server = parseServerAddress(address);
      const group = server && memory.group(server.gateway);
      return group ? sanitizeText(group.label, gatewayFormLimits.label) : null;
    },
    forget({ address }) {
      const server = parseServerAddress(address);
      if (!server || !memory.setGroup(server.gateway, undefined)) return false;
      changed();
      return true;
    },
  };
}
