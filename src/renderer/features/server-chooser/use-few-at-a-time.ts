import { startTransition, useEffect, useState } from 'react';

/** So many new rows even a slow processor draws within a frame. */
const rowsInFrame = 3;

type Key = string | number | bigint;

interface Drawn {
  /** Of which list the rows are. */
  list: unknown;
  keys: ReadonlySet<Key>;
}

/**
 * Which of the rows in view are to be drawn. As a list comes or is scrolled, a few more with each frame: all of them in
 * one would be a jerk. Of another list, as when somebody types, all at once: none of what was there stays for a moment.
 */
export function useFewAtATime(list: unknown, inView: readonly Key[]): (key: Key) => boolean {
  const [drawn, setDrawn] = useState<Drawn>({ list, keys: new Set() });
  const isOther = drawn.list !== list;
  if (isOther && inView.length === 0) setDrawn({ list, keys: new Set() });
  const missing = isOther ? inView : inView.filter((key) => !drawn.keys.has(key));
  useEffect(() => {
    if (missing.length === 0) return undefined;
    const later = new Set(isOther ? [] : missing.slice(rowsInFrame));
    const keys = new Set(inView.filter((key) => !later.has(key)));
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn({ list, keys })));
    return () => cancelAnimationFrame(frame);
  });
  return (key) => isOther || drawn.keys.has(key);
}
