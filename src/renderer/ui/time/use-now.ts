import { useEffect, useState } from 'react';
import { whileVisible } from '../../platform/while-visible.ts';

/** The time in milliseconds since the Unix epoch, updated at this interval while the page is visible. */
export function useNow(everySeconds: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(
    () => whileVisible({ everyMs: everySeconds * 1000, action: () => setNow(Date.now()) }),
    [everySeconds],
  );
  return now;
}
