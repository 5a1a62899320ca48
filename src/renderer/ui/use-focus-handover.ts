import { useCallback, useRef, type RefCallback } from 'react';

/**
 * For elements of which one takes the other's place: the one that comes takes the focus, too, if the one that goes had
 * it. Browsers drop it otherwise, and who uses a keyboard begins again at the top of the page.
 */
export function useFocusHandover(): RefCallback<HTMLElement> {
  const current = useRef<HTMLElement>(null);
  const isDue = useRef(false);
  return useCallback((element: HTMLElement | null) => {
    if (element) {
      if (isDue.current) element.focus();
      isDue.current = false;
    } else {
      // The element is in the document still.
      isDue.current = current.current !== null && current.current === document.activeElement;
    }
    current.current = element;
  }, []);
}
