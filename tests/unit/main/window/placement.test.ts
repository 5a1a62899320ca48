import { describe, expect, test } from 'vitest';
import {
  broughtIntoSight,
  fitTo,
  minSizeOn,
  placeWindow,
  type Rectangle,
} from '../../../../src/main/window/placement.ts';

const laptop: Rectangle = { x: 0, y: 0, width: 1440, height: 860 };
const leftOfIt: Rectangle = { x: -1920, y: -100, width: 1920, height: 1080 };
const at = (x: number, y: number, width = 960, height = 720) => ({
  bounds: { x, y, width, height },
  isMaximized: false,
});

test('the first time the system chooses where', () => {
  expect(placeWindow(undefined, [laptop])).toEqual({ width: 960, height: 720 });
});

describe('a window opens where it was', () => {
  test.each([
    ['on the first display', at(100, 50), [laptop]],
    ['on one left of and above it', at(-1800, -90), [laptop, leftOfIt]],
    ['partly beyond an edge, as the user has put it', at(1300, 700), [laptop]],
  ])('%s', (_, place, displays) => {
    expect(placeWindow(place, displays)).toEqual(place.bounds);
  });
});

describe('not where nobody could take hold of it', () => {
  test.each([
    ['its display is gone', at(-1800, -90)],
    ['its title bar is above the display', at(100, -20)],
    ['it is below the display', at(100, 840)],
    ['no more than a corner is on the display', at(1400, 100)],
    ['far away', at(2 ** 31, 2 ** 31)],
  ])('%s', (_, place) => {
    expect(placeWindow(place, [laptop])).toEqual({ width: 960, height: 720 });
  });
});

// Hidden in the tray, or minimized, when its display was unplugged: systems move only what is visible.
describe('a window that is shown again is where it can be seen', () => {
  const wanted = at(-1800, -90).bounds;
  test.each([
    ['stays on its display', wanted, [laptop, leftOfIt], undefined],
    ['stays partly beyond an edge', at(1300, 700).bounds, [laptop], undefined],
    ['moves to the middle of another', wanted, [laptop], { x: 240, y: 70, width: 960, height: 720 }],
    [
      'gets no larger than that',
      { ...wanted, width: 1900, height: 1000 },
      [laptop],
      { x: 0, y: 0, width: 1440, height: 860 },
    ],
    ['stays where nothing is known of displays', wanted, [], undefined],
  ])('%s', (_, bounds, displays, moved) => {
    expect(broughtIntoSight(bounds, displays)).toEqual(moved);
  });
});

test('a window is no larger than its display, and no smaller than its pages can be', () => {
  expect(placeWindow(at(0, 0, 5000, 5000), [laptop])).toEqual({ x: 0, y: 0, width: 1440, height: 860 });
  expect(placeWindow(at(0, 0, 1, 1), [laptop])).toMatchObject({ width: 360, height: 560 });
  expect(placeWindow(undefined, [{ x: 0, y: 0, width: 800, height: 600 }])).toEqual({
    width: 800,
    height: 600,
  });
});

// 1366 × 768 at 150 %, without the taskbar: its lower part, and the buttons there, could not be reached.
test('a window on a display that is smaller than its pages would like is as small', () => {
  const small: Rectangle = { x: 0, y: 0, width: 910, height: 472 };
  expect(placeWindow(undefined, [small])).toEqual({ width: 910, height: 472 });
  expect(placeWindow(at(10, 20, 900, 700), [small])).toEqual({ x: 10, y: 20, width: 900, height: 472 });
  expect(minSizeOn([small])).toEqual({ width: 360, height: 472 });
  // It may be moved to any of them.
  expect(minSizeOn([laptop, small])).toEqual({ width: 360, height: 472 });
  expect(minSizeOn([laptop])).toEqual({ width: 360, height: 560 });
  expect(minSizeOn([])).toEqual({ width: 360, height: 560 });
  // Windows for signing in open on any of them.
  expect(fitTo({ width: 520, height: 720 }, [laptop, small])).toEqual({ width: 520, height: 472 });
});

test('a display that does not know its size makes no window vanish', () => {
  const none: Rectangle = { x: 0, y: 0, width: 0, height: 0 };
  expect(placeWindow(undefined, [none])).toEqual({ width: 240, height: 240 });
});

test('without any display it opens all the same', () => {
  expect(placeWindow(at(5, 5), [])).toEqual({ width: 960, height: 720 });
});
