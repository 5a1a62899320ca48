import type { ServerGroup } from '#shared/entities.ts';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';

/** A line of the chooser's list. */
export type ServerRow =
  | { kind: 'group'; key: string; group: ServerGroup }
  | { kind: 'server'; key: string; server: ListedServer };

/** The servers in which every word of the query is found, below their groups; groups without any are left out. */
export function serverRows(groups: readonly ServerGroup[], query: string): ServerRow[] {
  const words = foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return groups.flatMap((group): ServerRow[] => {
    const found = listServers([group]).filter((server) => {
      const text = foldText(`${server.name} ${server.domain} ${group.name}`);
      return words.every((word) => text.includes(word));
    });
    if (found.length === 0) return [];
    return [
      { kind: 'group', key: `group ${group.id}`, group },
      ...found.map((server): ServerRow => ({ kind: 'server', key: server.serverId, server })),
    ];
  });
}

/** Without what people leave out when they search: case, accents, and the width of characters (Unicode, NFKD). */
function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
