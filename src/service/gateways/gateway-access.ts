import { inArray } from 'drizzle-orm';
import { lockFor, type Database } from '../database/database.ts';
import { devices } from '../database/schema/account.ts';
import type { GatewayAccess } from './gateway-port.ts';
import { loginsAt, readAccess, readOffer } from './device-access.ts';

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
