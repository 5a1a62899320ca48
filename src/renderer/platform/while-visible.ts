import { documentVisibility, type PageVisibility } from './page-visibility.ts';

interface WhileVisible {
  everyMs: number;
  action: () => void;
  /** When the page becomes visible again; by default the action. */
  again?: () => void;
  visibility?: PageVisibility;
}

/**
 * Does something at an interval, and when the page becomes visible again. While it is hidden there is no timer at all:
 * one that wakes up only to do nothing costs processor time and battery, too. Returns a function that ends it.
 */
export function whileVisible(options: WhileVisible): () => void {
  const { everyMs, action, again = action, visibility = documentVisibility() } = options;
  let timer: ReturnType<typeof setInterval> | undefined;
  const start = () => {
    timer ??= setInterval(action, everyMs);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const endVisible = visibility.onVisible(() => {
    start();
    again();
  });
  const endHidden = visibility.onHidden(stop);
  if (visibility.isVisible()) start();
  return () => {
    endVisible();
    endHidden();
    stop();
  };
}
