/**
 * How often something may happen. It is a bucket: full with `burst`, it gets `perHour` back each hour. So it lets
 * `burst + perHour` through in the worst first hour, and `perHour` in each that follows.
 */
export interface Limit {
  readonly burst: number;
  readonly perHour: number;
}

/**
 * What strangers can spend. What they come to together is calculated in docs/sign-in-limits.md. A source is an IPv4
 * address or an IPv6 /64, and a site an IPv6 /48, the most that one customer is given as a rule (RFC 6177); a new device
 * is one that is not signed in to the account.
 */
export const defaultLimits = {
  /** Codes mailed for new devices. */
  codesPerSource: { burst: 20, perHour: 30 },
  codesPerSourceAndAccount: { burst: 3, perHour: 6 },
  codesPerSite: { burst: 100, perHour: 100 },
  codesPerAccount: { burst: 10, perHour: 2 },
  codesInAll: { burst: 1000, perHour: 1000 },
  /** Wrong codes of new devices, and of codes that are over or were never made. */
  guessesPerSource: { burst: 10, perHour: 20 },
  guessesPerSite: { burst: 50, perHour: 50 },
  /** Without those that could not have been right. */
  guessesInAll: { burst: 1000, perHour: 1000 },
  /** Of one device that the account knows. Only who knows its id can spend them. */
  codesPerKnownDevice: { burst: 10, perHour: 20 },
  /**
   * Wrong codes of devices that accounts know: so many ids that leaked are no way around the others. By source first, as
   * everybody has an account of their own, and a device that it knows.
   */
  knownGuessesPerSource: { burst: 10, perHour: 20 },
  knownGuessesPerSite: { burst: 50, perHour: 50 },
  knownGuessesInAll: { burst: 1000, perHour: 1000 },
  ordersPerSource: { burst: 10, perHour: 20 },
  handOversPerAccount: { burst: 20, perHour: 60 },
  paymentsPerAccount: { burst: 20, perHour: 60 },
  licenseKeysPerSource: { burst: 20, perHour: 30 },
  licenseKeysPerAccount: { burst: 10, perHour: 20 },
  invitationsPerSource: { burst: 40, perHour: 80 },
  invitationsPerAccount: { burst: 20, perHour: 40 },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof defaultLimits;
export type Limits = Readonly<Record<LimitName, Limit>>;

/** The limits of a service whose callers share fewer addresses, or are more, than others'. */
export function scaledLimits(factor: number): Limits {
  const scaled = Object.entries(defaultLimits).map(([name, { burst, perHour }]) => [
    name,
    { burst: Math.ceil(burst * factor), perHour: Math.ceil(perHour * factor) },
  ]);
  return Object.fromEntries(scaled) as Record<LimitName, Limit>;
}
