/** Whether the user can see the page. */
export interface PageVisibility {
  isVisible(): boolean;
  /** The page has become visible. */
  onVisible(listener: () => void): void;
  /** The page has become hidden. */
  onHidden(listener: () => void): void;
}

export function documentVisibility(): PageVisibility {
  const isVisible = () => document.visibilityState === 'visible';
  const on = (wanted: boolean) => (listener: () => void) =>
    document.addEventListener('visibilitychange', () => {
      if (isVisible() === wanted) listener();
    });
  return { isVisible, onVisible: on(true), onHidden: on(false) };
}
