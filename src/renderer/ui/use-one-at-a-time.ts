import { useRef } from 'react';

/**
 * Keeps something from beginning again before it has ended. A busy device delivers two clicks together, and both see
 * the page as it was before the first one: that a call is pending, pages are told a task later. The action must call
 * `ended` in the end.
 */
export function useOneAtATime(): (action: (ended: () => void) => void) => void {
  const isUnderWay = useRef(false);
  return (action) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    action(() => {
      isUnderWay.current = false;
    });
  };
}
