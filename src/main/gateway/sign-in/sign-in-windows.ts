/** As many as nobody needs, who signs in; a page could open any number. */
const maxWindows = 5;

/** `url`: as Chromium gives it. A page may open an empty window first, and then have it load another one. */
export const mayOpenWindow = (url: string, open: number): boolean =>
  open < maxWindows && (url === 'about:blank' || isSignInPage(url));

/** What is loaded in a window for signing in by browser. */
export const isSignInPage = (url: string): boolean => URL.parse(url)?.protocol === 'https:';
