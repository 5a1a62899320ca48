import type { ServerGroup } from '../entities.ts';
import { serverId } from '../servers/server-id.ts';

/**
 * The groups without servers whose ids are none that anybody may send: these would be listed, and refused when they are
 * chosen. `leftOut`: how many those are.
 */
export function withChoosableServers(groups: readonly ServerGroup[]): {
  groups: ServerGroup[];
  leftOut: number;
} {
  let leftOut = 0;
  const isChoosable = (server: { serverId: string }) => {
    const isOne = serverId.safeParse(server.serverId).success;
    if (!isOne) leftOut += 1;
    return isOne;
  };
  const choosable = groups.map((group) => ({
    ...group,
    items: group.items.map((item) => ({ ...item, servers: item.servers.filter(isChoosable) })),
  }));
  return { groups: choosable, leftOut };
}
