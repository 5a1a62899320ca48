import { useEffect, useEffectEvent, useState } from 'react';

/** As long as the two clicks of a double one may be apart, by the default of most systems. */
const doubleClickMs = 500;

/**
 * A moment after a click in which nothing can be clicked: browsers on iOS do not say which tap was a second one. `onEnd`
 * is called when it is over.
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
