import { startTransition, useEffect, useState } from 'react';

/** How many new rows even a slow processor can draw within a frame. */
const rowsInFrame = 3;

type Key = string | number | bigint;

interface Drawn {
  /** The list that the rows belong to. */
  list: unknown;
  keys: ReadonlySet<Key>;
}

/**
 * Which of the visible rows to draw. When a list appears or is scrolled, some more with each frame, because all of them
 * at once would be a visible delay. If the list changes, as during typing, all at once, so that no old rows remain for
 * a moment.
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
