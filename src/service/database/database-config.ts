/** Where the service keeps its data. */
export type DatabaseConfig =
  | {
      kind: 'postgresql';
      url: string;
      /** The maximum number of connections of this process. */
      connections: number;
      /** The maximum duration of a statement. */
      timeoutMs: number;
    }
  | { kind: 'pglite'; directory: string };
