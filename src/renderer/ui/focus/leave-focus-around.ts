/**
 * A ref for a button that disappears when it is pressed, while what it belongs to stays: the next element around it that
 * can be focused takes the focus, and so says what has become of it. See leave-focus.ts.
 */
export function leaveFocusAround(button: HTMLElement | null): (() => void) | undefined {
  if (!button) return undefined;
  // It is still in the document.
  return () => {
    if (document.activeElement === button) button.closest<HTMLElement>('[tabindex="-1"]')?.focus();
  };
}
