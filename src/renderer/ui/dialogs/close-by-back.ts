/**
 * In an app's webview, the system's back button goes back in the history. So each open dialog has an entry there: going
 * back closes the dialog, and the page stays.
 */
interface OpenDialog {
  readonly id: number;
  readonly href: string;
  readonly onBack: () => void;
}

/** The innermost last. */
const dialogs: OpenDialog[] = [];
let lastId = Date.now();
/** The navigations that this file has begun and that close nothing: back from the entry of that dialog, or forward again. */
const ownSteps: (number | 'forward')[] = [];
/** A step that another navigation has replaced never ends. */
const stepLimitMs = 1000;
let isListening = false;

/** Until the returned function is called, going back calls `onBack` instead of leaving the page. */
export function closeByBack(onBack: () => void): () => void {
  // Before the router, for which nothing happens.
  if (!isListening) addEventListener('popstate', onPop, { capture: true });
  isListening = true;
  lastId += 1;
  const dialog: OpenDialog = { id: lastId, href: location.href, onBack };
  dialogs.push(dialog);
  addEntry(dialog);
  return () => {
    dialogs.splice(dialogs.indexOf(dialog), 1);
    // Whatever closes it may lead to another page or dialog right then, which has an entry behind this one, or takes it.
    setTimeout(() => {
      if (shownDialog() === dialog.id) step(dialog.id);
    });
  };
}

/** The dialog whose entry is shown now, which may have been closed. */
const shownDialog = () => (history.state as { dialog?: number } | null)?.dialog;

const isLeftOver = (id: number) => dialogs.every((dialog) => dialog.id !== id);

function addEntry({ id }: OpenDialog): void {
  // With what the router keeps there.
  const state = { ...(history.state as object | null), dialog: id };
  const shown = shownDialog();
  if (shown !== undefined && isLeftOver(shown)) history.replaceState(state, '');
  else history.pushState(state, '');
}

function step(own: number | 'forward'): void {
  ownSteps.push(own);
  setTimeout(() => {
    const left = ownSteps.indexOf(own);
    if (left !== -1) ownSteps.splice(left, 1);
  }, stepLimitMs);
  if (own === 'forward') history.forward();
  else history.back();
}

function onPop(event: PopStateEvent): void {
  const dialog = dialogs.at(-1);
  const shown = shownDialog();
  const isLeft = shown !== undefined && isLeftOver(shown);
  // The one around it may have been closed before it.
  const isBehind = dialog && location.href === dialog.href && (isLeft || shown === dialogs.at(-2)?.id);
  const own = ownSteps.shift();
  if (own !== undefined) {
    event.stopImmediatePropagation();
    // Another page was opened meanwhile, and that is what was left instead.
    if (shown === own) return step('forward');
    // Another dialog was, and took the entry that was left.
    if (isBehind && !isLeft && ownSteps.length === 0) addEntry(dialog);
  } else if (isBehind) {
    event.stopImmediatePropagation();
    dialog.onBack();
    // One that cannot be closed now is still there.
    setTimeout(() => {
      if (dialogs.includes(dialog) && shownDialog() !== dialog.id) addEntry(dialog);
    });
  }
  if (isLeft) step(shown);
}
