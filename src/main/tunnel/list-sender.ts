import type { Logger } from 'pino';
import type { HelperParams } from '#shared/helper/protocol.ts';
import { withSharedLists, type SharedLists, type WantedRouting } from '#shared/tunnel/shared-lists.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import type { HelperClient } from './helper-client.ts';

interface SentLists {
  lists: SharedLists;
  name: string;
}

export type RoutingParams = Pick<HelperParams<'setRouting'>, 'routing' | 'lists'>;

/**
 * Builds the routing requests for a helper: it is sent the same lists only once for each connection, and after that
 * only their name. A helper that stores no lists, because it is older or has no room, gets them every time.
 */
export function createListSender(
  helper: Pick<HelperClient, 'attachment' | 'call' | 'capabilities'>,
  log: Logger,
): (wanted: WantedRouting) => Promise<RoutingParams> {
  /** What each connection has been sent, by mode. */
  const sent = new WeakMap<object, Map<SharedLists['mode'], SentLists>>();

  return async ({ routing, lists }) => {
    if (!lists) return { routing };
    const attachment = helper.attachment();
    if (!attachment || !helper.capabilities()?.includes('lists')) return { routing: whole(routing, lists) };
    const known = sent.get(attachment) ?? new Map<SharedLists['mode'], SentLists>();
    sent.set(attachment, known);
    const before = known.get(lists.mode);
    if (before?.lists === lists) return { routing, lists: before.name };
    try {
      const { name } = await helper.call('storeLists', { lists });
      known.set(lists.mode, { lists, name });
      return { routing, lists: name };
    } catch (error) {
      log.info({ err: error }, 'the helper keeps no lists');
      return { routing: whole(routing, lists) };
    }
  };
}

function whole(routing: Routing, lists: SharedLists): Routing {
  const all = withSharedLists(routing, lists);
  if (!all) throw new Error('the lists do not go with the routing');
  return all;
}
