import { withSharedLists, type WantedRouting } from '#shared/tunnel/shared-lists.ts';

/** What a tunnel is to be made with, the lists among it, as a helper that keeps none is asked for it. */
export function wholePreferences<Wanted extends WantedRouting>({ routing, lists, ...rest }: Wanted) {
  return { ...rest, routing: lists ? withSharedLists(routing, lists) : routing };
}
