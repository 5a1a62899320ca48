/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** The product's version, inserted by electron.vite.config.ts. */
  readonly VITE_APP_VERSION: string;
  /** Origin of the service, if it is not the page's own. */
  readonly VITE_API_URL?: string;
  /** The Sentry DSN for error reports; without one, nothing is reported. */
  readonly VITE_SENTRY_DSN?: string;
  /** Any value: the mock tunnel in development. */
  readonly VITE_MOCK?: string;
}
