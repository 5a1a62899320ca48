import { inArray } from 'drizzle-orm';
import { lockFor, type Database } from '../database/database.ts';
import { devices } from '../database/schema/account.ts';
import { loginsAt, readAccess, readOffer } from './device-access.ts';

/** A device that gateways should let in (design §3). */
export interface GatewayLogin {
  user: string;
  passwordHash: string;
}

/** Where gateways are: those at one place share what they know of devices, and so their passwords. */
export interface GatewayAddress {
  domain: string;
  port: number | null;
}

/** What a place lets in at a moment. */
export interface PublishedLogins {
  /** Whether this very login is there. */
  has(login: GatewayLogin): boolean;
  /** The devices of which `has` found no login. */
  rest(): string[];
}

/** Self-hosted gateways, as the service sees them. */
export interface GatewayAccess {
  /** Passwords as these gateways store them. */
  hashPasswords(passwords: readonly string[]): Promise<string[]>;
  placeOf(gateway: GatewayAddress): string;
  /** Places that there are whatever servers are listed. */
  commonPlaces: readonly string[];
  /** Places at which something was ever published. */
  publishedPlaces(): Promise<string[]>;
  /** From now on a place lets in `logins`, and none else of `users`. Nothing changes for others. One call at a time. */
  change(place: string, change: { users: readonly string[]; logins: readonly GatewayLogin[] }): Promise<void>;
  read(place: string): Promise<PublishedLogins>;
}

/** Whose access to gateways may have changed: of accounts, and of devices, which may be gone. */
export interface ChangedAccess {
  userIds: readonly string[];
  gatewayUsers?: readonly string[];
}

export function mergedAccess(changes: readonly ChangedAccess[]): ChangedAccess {
  return {
    userIds: changes.flatMap(({ userIds }) => userIds),
    gatewayUsers: changes.flatMap(({ gatewayUsers = [] }) => gatewayUsers),
  };
}

/**
 * Brings the gateways up to date with the database, which is the truth, for some accounts. Services that share a
 * database do this one at a time, so that the last to do it has seen what the others did.
 */
export async function publishGatewayAccess(
  database: Database,
  gateways: GatewayAccess,
  now: Date,
  { userIds, gatewayUsers = [] }: ChangedAccess,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'gatewayAccess');
    const ofDevices = await transaction
      .select({ userId: devices.userId })
      .from(devices)
      .where(inArray(devices.gatewayUser, [...gatewayUsers]));
    const offer = await readOffer(transaction, gateways);
    const affected = [...new Set([...userIds, ...ofDevices.map(({ userId }) => userId)])];
    const access = await readAccess(transaction, offer, affected, now);
    const named = [...new Set([...gatewayUsers, ...access.map(({ user }) => user)])];
    for (const place of offer.places) {
      await gateways.change(place, { users: named, logins: loginsAt(place, access) });
    }
  });
}
