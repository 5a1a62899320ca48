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

/** Opens an isolated browser window; undefined when the user closed it or the sign-in failed there. */
export type OpenBrowser = (request: SingleSignOn, signal: AbortSignal) => Promise<string | undefined>;
