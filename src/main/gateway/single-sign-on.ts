/** What a gateway's form says about signing in by browser (AnyConnect's `single-sign-on-v2`). */
export interface SingleSignOn {
  /** Where the browser starts, on https. */
  loginUrl: string;
  /** Reaching this page ends it. */
  finalUrl: string;
  /** Cookie that then holds the token. */
  tokenCookie: string;
  /** Cookie that then holds the gateway's error instead. */
  errorCookie: string | undefined;
}

/** How a sign-in by browser ended. */
export type BrowserSignIn = { kind: 'token'; token: string } | { kind: 'refused' } | { kind: 'cancelled' };

/** Opens an isolated browser window, and resolves when it is gone. */
export type OpenBrowser = (request: SingleSignOn, signal: AbortSignal) => Promise<BrowserSignIn>;
