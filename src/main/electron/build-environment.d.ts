interface ImportMeta {
  readonly env: {
    /** The Sentry DSN for error reports; without one, nothing is reported. */
    readonly VITE_SENTRY_DSN?: string;
    /** The version in package.json. */
    readonly VITE_APP_VERSION: string;
  };
  /** Resolved by the build: the matching files, by path. */
  glob<Module>(
    pattern: string,
    options: { query: string; import: 'default'; eager: true },
  ): Readonly<Record<string, Module>>;
}
