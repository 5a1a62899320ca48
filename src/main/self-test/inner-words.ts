/** Arguments with which this program runs a part of a self-test in a process of its own; nobody types them. */
export const innerWords = {
  /** In namespaces of its own. */
  inside: 'self-test-inside',
  guard: 'self-test-guard',
  /** Serves the self-test of this very computer. */
  served: 'self-test-served',
} as const;
