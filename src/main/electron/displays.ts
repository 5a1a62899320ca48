import { screen } from 'electron';
import { fitTo, type Rectangle, type Size } from '../window/placement.ts';

/** The usable areas of the present displays, in the pixels that windows are measured in. */
export const displayAreas = (): Rectangle[] => screen.getAllDisplays().map(({ workArea }) => workArea);

/** The size for a window of which nothing may be out of sight, whichever display it opens on. */
export const sizeInSight = (size: Size): Size => fitTo(size, displayAreas());
