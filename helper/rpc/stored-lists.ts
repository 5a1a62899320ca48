import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { helperError } from '#shared/helper/protocol.ts';
import { withSharedLists, type SharedLists } from '#shared/tunnel/shared-lists.ts';
import { maxRoutedPrefixes, type Routing } from '#shared/tunnel/state.ts';
import { readRouting, type ReadRouting } from '../modes/read-routing.ts';
import { joinPrefixLists, readPrefixList, type PrefixList } from '../network/prefix-list.ts';

/** The lists that one client has stored, so that its requests can refer to them. */
export interface StoredLists {
  /** Returns the name for use in requests. Throws `noRoom`. */
  store(lists: SharedLists): string;
  /**
   * The complete routing of a request; the same object for the same request, which shows that nothing has changed.
   * Throws `unknownLists`, or an error for lists that do not fit the routing.
   */
  whole(request: { routing: Routing; lists?: string | undefined }): ReadRouting;
  forget(): void;
}

interface Stored {
  name: string;
  lists: KeptLists;
  giveBack: () => void;
  last: { own: Routing; whole: ReadRouting } | undefined;
}

/** Prefixes are read when they are stored. */
type KeptLists = Extract<SharedLists, { mode: 'pac' }> | { mode: 'ip'; prefixes: PrefixList };

/** `take`: reserves a place for one more list and returns a function that releases it; undefined if there is none. */
export function createStoredLists(take: () => (() => void) | undefined): StoredLists {
  const stored = new Map<SharedLists['mode'], Stored>();

  return {
    store(lists) {
      const kept: KeptLists =
        lists.mode === 'ip' ? { mode: 'ip', prefixes: readPrefixList(lists.routeIps) } : lists;
      const name = kept.mode === 'ip' ? kept.prefixes.digest : digestOf(kept);
      const before = stored.get(lists.mode);
      if (before?.name === name) return name;
      const giveBack = before?.giveBack ?? take();
      if (!giveBack) throw new ResponseError(helperError.noRoom, 'too many lists are kept');
      stored.set(lists.mode, { name, lists: kept, giveBack, last: undefined });
      return name;
    },
    whole({ routing, lists: name }) {
      if (name === undefined) {
        if (routing.mode === 'ip' && routing.routeIps.length === 0)
          throw new ResponseError(ErrorCodes.InvalidParams, 'routing.routeIps: none');
        return readRouting(routing);
      }
      const found = [...stored.values()].find((each) => each.name === name);
      if (!found) throw new ResponseError(helperError.unknownLists, 'no lists of that name');
      if (found.last && isDeepStrictEqual(found.last.own, routing)) return found.last.whole;
      const whole = withLists(routing, found.lists);
      if (!whole) throw new ResponseError(ErrorCodes.InvalidParams, 'lists: do not go with the routing');
      found.last = { own: routing, whole };
      return whole;
    },
    forget() {
      for (const { giveBack } of stored.values()) giveBack();
      stored.clear();
    },
  };
}

const digestOf = (lists: KeptLists) => createHash('sha256').update(JSON.stringify(lists)).digest('hex');

/** Undefined if the lists are for another mode, or if both together are empty or larger than a routing may be. */
function withLists(own: Routing, lists: KeptLists): ReadRouting | undefined {
  if (lists.mode === 'pac') {
    const whole = withSharedLists(own, lists);
    return whole && readRouting(whole);
  }
  if (own.mode !== 'ip') return undefined;
  const routeIps = joinPrefixLists(lists.prefixes, readPrefixList(own.routeIps));
  if (routeIps.length === 0 || routeIps.length > maxRoutedPrefixes) return undefined;
  return { ...own, routeIps };
}
