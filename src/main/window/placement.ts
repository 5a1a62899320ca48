import type { WindowPlace } from '../preferences/settings.ts';

export type Rectangle = WindowPlace['bounds'];

export interface Size {
  width: number;
  height: number;
}

/** What the pages would like. */
const minSize = { width: 360, height: 560 } as const;
const usualSize = { width: 960, height: 720 } as const;
/** One that says it has less does not know its size, as some that are made up by software. */
const smallestDisplay = { width: 240, height: 240 } as const;
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
  const least = minSizeOn(displays);
  const { width, height } = fitTo(
    {
      width: Math.max(least.width, wanted?.width ?? usualSize.width),
      height: Math.max(least.height, wanted?.height ?? usualSize.height),
    },
    display ? [display] : displays.slice(0, 1),
  );
  return wanted && display ? { x: wanted.x, y: wanted.y, width, height } : { width, height };
}

/**
 * Where a window that is shown again has to move, from where it was: its display may have been unplugged while it was
 * hidden or minimized, and systems move only what is visible. Undefined if it can stay.
 */
export function broughtIntoSight(window: Rectangle, displays: readonly Rectangle[]): Rectangle | undefined {
  const [first] = displays;
  if (!first || displays.some((display) => showsGrip(window, display))) return undefined;
  const { width, height } = fitTo(window, [first]);
  const middle = (start: number, whole: number, part: number) => start + Math.round((whole - part) / 2);
  return {
    x: middle(first.x, first.width, width),
    y: middle(first.y, first.height, height),
    width,
    height,
  };
}

/**
 * The smallest size that the user can give the window: no more than any of the displays has, since a window whose lower
 * part is always out of sight cannot be used.
 */
export const minSizeOn = (displays: readonly Size[]): Size => fitTo(minSize, displays);

/** A size, or as much of it as each of the displays has. */
export function fitTo(size: Size, displays: readonly Size[]): Size {
  const fit = (side: keyof Size) =>
    Math.min(size[side], ...displays.map((display) => Math.max(display[side], smallestDisplay[side])));
  return { width: fit('width'), height: fit('height') };
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
