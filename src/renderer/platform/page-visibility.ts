/** Whether the user can see the page. */
export interface PageVisibility {
  isVisible(): boolean;
  /** It has come into view. */
  onVisible(listener: () => void): void;
}

export function documentVisibility(): PageVisibility {
  const isVisible = () => document.visibilityState === 'visible';
  return {
    isVisible,
    onVisible: (listener) =>
      document.addEventListener('visibilitychange', () => {
        if (isVisible()) listener();
      }),
  };
}
