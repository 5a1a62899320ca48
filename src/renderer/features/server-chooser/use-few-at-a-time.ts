import { startTransition, useEffect, useState } from 'react';

/** How many new rows even a slow processor can draw within a frame. */
const rowsInFrame = 4;

type Key = string | number | bigint;

/**
 * Which of the visible rows to draw: the ones drawn before, and some more with each frame. Drawing all of them at once
 * would be a visible delay when the list appears, is scrolled, or changes during typing.
 */
export function useFewAtATime(inView: readonly Key[]): (key: Key) => boolean {
  const [drawn, setDrawn] = useState<ReadonlySet<Key>>(new Set());
  const missing = inView.filter((key) => !drawn.has(key));
  useEffect(() => {
    if (missing.length === 0) return undefined;
    const later = new Set(missing.slice(rowsInFrame));
    const keys = new Set(inView.filter((key) => !later.has(key)));
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(keys)));
    return () => cancelAnimationFrame(frame);
  });
  return (key) => drawn.has(key);
}
