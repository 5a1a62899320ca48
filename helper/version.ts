/** What the helper says of itself in `hello`. */
export const helperVersion = '0.1.0';

/** The routing modes that this helper has. */
export const helperCapabilities = ['routing.global', 'routing.pac'] as const;
