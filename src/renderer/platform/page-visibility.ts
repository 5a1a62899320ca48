/** Whether the user can see the page. The functions that take a listener return one that removes it. */
export interface PageVisibility {
  isVisible(): boolean;
  /** The page has become visible. */
  onVisible(listener: () => void): () => void;
  /** The page has become hidden. */
  onHidden(listener: () => void): () => void;
}

export function documentVisibility(): PageVisibility {
  const isVisible = () => document.visibilityState === 'visible';
  const on = (wanted: boolean) => (listener: () => void) => {
    const follow = () => {
      if (isVisible() === wanted) listener();
    };
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  };
  return { isVisible, onVisible: on(true), onHidden: on(false) };
}
