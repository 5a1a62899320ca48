/**
 * Going back closes the dialog on top, as in a phone's own apps: while there are any, the history has one more entry for
 * the same page. The router takes it for that page. It is marked by `isDialog` in its state, and what is opened from
 * there takes its place.
 */

/** What closes each open dialog; the last one is on top. */
const open: (() => void)[] = [];
/** The page with the dialogs. */
let page: string | undefined;
/** The entry is being removed, which takes a moment. */
let isLeaving = false;

const isEntry = (state: unknown): boolean => state instanceof Object && 'isDialog' in state;

/** Adds the entry, or removes it. */
function settle(): void {
  if (isLeaving) return;
  if (open.length > 0 && !isEntry(history.state)) {
    page = location.href;
    history.pushState({ ...history.state, isDialog: true }, '');
  } else if (open.length === 0 && isEntry(history.state)) {
    isLeaving = true;
    // What is opened meanwhile must not take its place, since the browser goes back from there then.
    history.replaceState({ ...history.state, isDialog: false }, '');
    history.back();
  }
}

addEventListener('popstate', ({ state }) => {
  if (isEntry(state)) {
    // Another page was opened meanwhile.
    if (isLeaving) history.forward();
    isLeaving = false;
    return;
  }
  if (location.href === page) {
    if (!isLeaving) open.at(-1)?.();
    isLeaving = false;
  }
  // For dialogs that are still open.
  setTimeout(settle);
});

/** Closes a dialog when the user goes back, until the returned function is called. */
export function closeOnBack(close: () => void): () => void {
  open.push(close);
  settle();
  return () => {
    open.splice(open.indexOf(close), 1);
    // Another one may open in its place at the same time.
    queueMicrotask(settle);
  };
}
