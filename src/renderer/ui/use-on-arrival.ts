import { useEffect, useEffectEvent } from 'react';

/** Does something once, when the component appears, with the values at that time; later changes do not repeat it. */
export function useOnArrival(action: () => void): void {
  const onArrival = useEffectEvent(action);
  useEffect(() => onArrival(), []);
}
