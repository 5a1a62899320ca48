import { useCallback, useRef, type RefCallback } from 'react';

/**
 * For elements that replace each other: the new one takes the focus if the old one had it. Otherwise the browser drops
 * it, and keyboard users start again at the top of the page.
 */
export function useFocusHandover(): RefCallback<HTMLElement> {
  const current = useRef<HTMLElement>(null);
  const isDue = useRef(false);
  return useCallback((element: HTMLElement | null) => {
    if (element) {
      if (isDue.current) element.focus();
      isDue.current = false;
    } else {
      // The element is still in the document.
      isDue.current = current.current !== null && current.current === document.activeElement;
    }
    current.current = element;
  }, []);
}
