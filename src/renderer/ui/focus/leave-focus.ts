const pressed = 'button:enabled, input:enabled, select:enabled, a[href]';

/**
 * A ref for a button that disappears when it is pressed, alone or with its row: the next control takes the focus.
 * Otherwise the browser drops it, and keyboard users start again at the top of the page.
 */
export function leaveFocus(button: HTMLElement | null): (() => void) | undefined {
  if (!button) return undefined;
  // It is still in the document.
  return () => {
    if (document.activeElement === button) nextTo(button)?.focus();
  };
}

function nextTo(button: HTMLElement): HTMLElement | undefined {
  const row = button.closest('li');
  const going = row?.parentElement?.childElementCount === 1 ? row.parentElement : (row ?? button);
  const others = [...document.querySelectorAll<HTMLElement>(pressed)].filter(
    (other) => !going.contains(other) && other.getClientRects().length > 0,
  );
  const isBehind = (other: HTMLElement) =>
    (going.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return others.find(isBehind) ?? others.at(-1);
}
