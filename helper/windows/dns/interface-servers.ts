import { isIP } from 'node:net';
import type { Guid } from '../calls/guid.ts';
import type { Registry } from '../calls/registry.ts';
import { addressKey } from './registry-settings.ts';

/** The resolvers of an interface: what somebody has entered, or else what DHCP has named. Those by DHCPv6 are not read. */
export function interfaceServers(registry: Registry, guid: Guid): string[] {
  return ([4, 6] as const).flatMap((family) => {
    const read = (name: string) => {
      const found = registry.value(addressKey(family, guid), name);
      return found?.kind === 'text' ? found.text.split(/[\s,]+/).filter((server) => isIP(server) !== 0) : [];
    };
    const entered = read('NameServer');
    return entered.length > 0 ? entered : read('DhcpNameServer');
  });
}
