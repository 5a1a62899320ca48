import type { WindowPlace } from '../preferences/settings.ts';

export type Rectangle = WindowPlace['bounds'];

export const minSize = { width: 360, height: 560 } as const;
const usualSize = { width: 960, height: 720 } as const;
/** How much of the title bar has to be on a display, so that the window can be moved. */
const grip = { width: 120, height: 32 } as const;

/**
 * Where to open the window. `displays`: the usable areas of the present displays, the first one first; there may be
 * fewer than when the position was stored. Without `x` and `y`, the system chooses.
 */
export function placeWindow(
  place: WindowPlace | undefined,
  displays: readonly Rectangle[],
): { x?: number; y?: number; width: number; height: number } {
  const wanted = place?.bounds;
  const display = wanted && displays.find((one) => showsGrip(wanted, one));
  const { width, height } = fitted(wanted ?? usualSize, display ?? displays[0]);
  return wanted && display ? { x: wanted.x, y: wanted.y, width, height } : { width, height };
}

function showsGrip(window: Rectangle, display: Rectangle): boolean {
  const left = Math.max(window.x, display.x);
  const right = Math.min(window.x + window.width, display.x + display.width);
  return (
    right - left >= grip.width &&
    window.y >= display.y &&
    window.y + grip.height <= display.y + display.height
  );
}

function fitted(size: { width: number; height: number }, display: Rectangle | undefined) {
  const fit = (side: 'width' | 'height') =>
    Math.max(minSize[side], Math.min(size[side], display?.[side] ?? Infinity));
  return { width: fit('width'), height: fit('height') };
}
