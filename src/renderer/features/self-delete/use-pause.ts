import { useEffect, useEffectEvent, useState } from 'react';

/** The maximum time between the clicks of a double click, by the default of most systems. */
const doubleClickMs = 500;

/**
 * A short time after a click in which nothing can be clicked: browsers on iOS do not say whether a tap was the second
 * one. `onEnd` is called afterwards.
 */
export function usePause(onEnd: () => void): { paused: boolean; pause: () => void } {
  const [since, setSince] = useState<number>();
  const end = useEffectEvent(() => {
    setSince(undefined);
    onEnd();
  });
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setTimeout(() => end(), doubleClickMs);
    return () => clearTimeout(timer);
  }, [since]);
  return { paused: since !== undefined, pause: () => setSince(performance.now()) };
}
