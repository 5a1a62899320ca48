/** The links that the app is asked to open. */
export interface LinkInbox {
  add(link: string): void;
  /** From now on, links are opened with this, beginning with the one that waits. */
  openWith(open: (link: string) => void): void;
}

/** Until the app can open links, the last one waits: it is what the user wants now. */
export function createLinkInbox(first?: string): LinkInbox {
  let waiting = first;
  let open: ((link: string) => void) | undefined;
  return {
    add(link) {
      if (open) open(link);
      else waiting = link;
    },
    openWith(openNow) {
      open = openNow;
      if (waiting !== undefined) openNow(waiting);
      waiting = undefined;
    },
  };
}
