interface ImportMeta {
  readonly env: {
    /** Where errors are reported to, a Sentry DSN; nowhere without one. */
    readonly VITE_SENTRY_DSN?: string;
    /** The version in package.json. */
    readonly VITE_APP_VERSION: string;
  };
  /** What the build puts in for files that match, by their paths. */
  glob<Module>(
    pattern: string,
    options: { query: string; import: 'default'; eager: true },
  ): Readonly<Record<string, Module>>;
}
