/** A device that gateways should let in (design §3). */
export interface GatewayLogin {
  user: string;
  passwordHash: string;
}

/** A gateway's address. Gateways at the same place share what they know about devices, and so their passwords. */
export interface GatewayAddress {
  domain: string;
  port: number | null;
}

/** The logins that a place accepts at one moment. */
export interface PublishedLogins {
  /** Whether exactly this login is accepted. */
  has(login: GatewayLogin): boolean;
  /** The devices of all logins that no call of `has` has found. */
  rest(): string[];
}

/** Self-hosted gateways, as the service sees them. */
export interface GatewayAccess {
  /** Hashes of passwords, in the form that these gateways store. */
  hashPasswords(passwords: readonly string[]): Promise<string[]>;
  placeOf(gateway: GatewayAddress): string;
  /** Places that exist whatever servers are listed. */
  commonPlaces: readonly string[];
  /** Places to which something was ever published. */
  publishedPlaces(): Promise<string[]>;
  /**
   * From now on, the place accepts `logins`, and nobody else of `users`. Nothing changes for other users. Only one call
   * at a time.
   */
  change(place: string, change: { users: readonly string[]; logins: readonly GatewayLogin[] }): Promise<void>;
  read(place: string): Promise<PublishedLogins>;
}
