import { useEffect, useEffectEvent } from 'react';

/** Does something once, when the component comes onto the page, with what it then knows; later changes do not repeat it. */
export function useOnArrival(action: () => void): void {
  const onArrival = useEffectEvent(action);
  useEffect(() => onArrival(), []);
}
