interface ImportMeta {
  readonly env: {
    /** Where errors are reported to, a Sentry DSN; nowhere without one. */
    readonly VITE_SENTRY_DSN?: string;
  };
}
