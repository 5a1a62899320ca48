/** The code with which an app sent its user to the store, for use once. */
export interface HandOver {
  /** Returns the code at the first call, if there is one. */
  take(): string | undefined;
}

export const handOverPrefix = '#hand-over=';

/**
 * Removes the code from the address and the history, where the next user of the browser could read it. Call this before
 * anything else is loaded.
 */
export function takeHandOver(
  location: Pick<Location, 'pathname' | 'search' | 'hash'>,
  history: Pick<History, 'replaceState'>,
): HandOver {
  let code: string | undefined;
  if (location.hash.startsWith(handOverPrefix)) {
    code = location.hash.slice(handOverPrefix.length);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return {
    take() {
      const taken = code;
      code = undefined;
      return taken;
    },
  };
}
