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
/** How many times this file goes back, which closes nothing. */
let ownSteps = 0;
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
      if (shownDialog() === dialog.id) stepBack();
    });
  };
}

/** The dialog whose entry is shown now, which may have been closed. */
const shownDialog = (): unknown => (history.state as { dialog?: unknown } | null)?.dialog;

const isLeftOver = (id: unknown) => id !== undefined && dialogs.every((dialog) => dialog.id !== id);

function addEntry({ id }: OpenDialog): void {
  // With what the router keeps there.
  const state = { ...(history.state as object | null), dialog: id };
  if (isLeftOver(shownDialog())) history.replaceState(state, '');
  else history.pushState(state, '');
}

function stepBack(): void {
  ownSteps += 1;
  history.back();
}

function onPop(event: PopStateEvent): void {
  const dialog = dialogs.at(-1);
  const shown = shownDialog();
  if (ownSteps > 0) {
    ownSteps -= 1;
    event.stopImmediatePropagation();
  } else if (dialog && shown === dialogs.at(-2)?.id && location.href === dialog.href) {
    event.stopImmediatePropagation();
    dialog.onBack();
    // One that cannot be closed now is still there.
    setTimeout(() => {
      if (dialogs.includes(dialog) && shownDialog() !== dialog.id) addEntry(dialog);
    });
  }
  if (isLeftOver(shown)) stepBack();
}
