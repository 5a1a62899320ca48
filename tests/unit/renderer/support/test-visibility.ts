import type { PageVisibility } from '../../../../src/renderer/platform/page-visibility.ts';

export interface TestVisibility extends PageVisibility {
  show(isVisible: boolean): void;
}

/** A page that is visible at first. */
export function testVisibility(): TestVisibility {
  let isVisible = true;
  const listeners = { visible: new Set<() => void>(), hidden: new Set<() => void>() };
  const on = (which: keyof typeof listeners) => (listener: () => void) => {
    listeners[which].add(listener);
    return () => listeners[which].delete(listener);
  };
  return {
    isVisible: () => isVisible,
    onVisible: on('visible'),
    onHidden: on('hidden'),
    show(now) {
      isVisible = now;
      for (const listener of listeners[now ? 'visible' : 'hidden']) listener();
    },
  };
}
