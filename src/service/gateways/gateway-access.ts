import { inArray } from 'drizzle-orm';
import { lockFor, type Database } from '../database/database.ts';
import { devices } from '../database/schema/account.ts';
import { loginsAt, readAccess, readOffer } from './device-access.ts';

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

/** Accounts and devices whose access to gateways may have changed; the devices may have been deleted. */
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
 * Updates the gateways to match the database, which is the truth, for some accounts. Services on one database do this
 * one at a time, so that the last one has seen the changes of the others.
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
