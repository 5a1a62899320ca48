/** What a gateway's form says about signing in by browser (AnyConnect's `single-sign-on-v2`). */
export interface SingleSignOn {
  /** Where the browser starts; https only. */
  loginUrl: string;
  /** The sign-in ends when this page is reached. */
  finalUrl: string;
  /** The cookie with the token. */
  tokenCookie: string;
  /** The cookie with the gateway's error, if there is one instead. */
  errorCookie: string | undefined;
}

/** The result of a sign-in by browser. */
export type BrowserSignIn = { kind: 'token'; token: string } | { kind: 'refused' } | { kind: 'cancelled' };

/** Opens an isolated browser window, and resolves when it is closed. */
export type OpenBrowser = (request: SingleSignOn, signal: AbortSignal) => Promise<BrowserSignIn>;
