/**
 * How often something may happen. A bucket starts full with `burst`, and refills by `perHour` each hour. So it lets
 * through `burst + perHour` in the worst first hour, and `perHour` in each hour after that.
 */
export interface Limit {
  readonly burst: number;
  readonly perHour: number;
}

/**
 * Limits on strangers; docs/sign-in-limits.md calculates their effect. A source is an IPv4 address or an IPv6 /64. A
 * site is an IPv6 /48, which is normally the most that one customer gets (RFC 6177). A new device is one that is not
 * signed in to the account.
 */
export const defaultLimits = {
  /** Codes mailed for new devices. */
  codesPerSource: { burst: 20, perHour: 30 },
  codesPerSourceAndAccount: { burst: 3, perHour: 6 },
  codesPerSite: { burst: 100, perHour: 100 },
  codesPerAccount: { burst: 10, perHour: 2 },
  codesInAll: { burst: 1000, perHour: 1000 },
  /** Wrong codes from new devices, and tries of codes that expired or never existed. */
  guessesPerSource: { burst: 10, perHour: 20 },
  guessesPerSite: { burst: 50, perHour: 50 },
  /** Excludes tries that could not have been right. */
  guessesInAll: { burst: 1000, perHour: 1000 },
  /** For one device that the account knows. Only somebody who knows its id can use this up. */
  codesPerKnownDevice: { burst: 10, perHour: 20 },
  /**
   * Wrong codes from devices that accounts know, so that leaked device ids do not get around the other limits. By
   * source first, because everybody has an account of their own with a known device.
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

/** The limits of a service that has more callers than usual, or whose callers share few addresses. */
export function scaledLimits(factor: number): Limits {
  const scaled = Object.entries(defaultLimits).map(([name, { burst, perHour }]) => [
    name,
    { burst: Math.ceil(burst * factor), perHour: Math.ceil(perHour * factor) },
  ]);
  return Object.fromEntries(scaled) as Record<LimitName, Limit>;
}
