/** The code with which an app handed its user over to the store, once. */
export interface HandOver {
  /** The code the first time, if there was one. */
  take(): string | undefined;
}

export const handOverPrefix = '#hand-over=';

/**
 * Takes the code out of the address and of the history, where the next user of the browser could read it. To be called
 * before anything else is loaded.
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
