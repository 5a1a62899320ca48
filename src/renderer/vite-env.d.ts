/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** The product's version, put in by electron.vite.config.ts. */
  readonly VITE_APP_VERSION: string;
  /** Origin of the service where it is not the page's own. */
  readonly VITE_API_URL?: string;
  /** Where errors are reported to, a Sentry DSN; nowhere without one. */
  readonly VITE_SENTRY_DSN?: string;
  /** Any value: the mock tunnel in development. */
  readonly VITE_MOCK?: string;
}
