import { isNotNull } from 'drizzle-orm';
import { lockFor, type Database } from './database.ts';
import { devices } from './schema.ts';

/** A device that a gateway should let in: its user name is the device's id, its password the token (design §3). */
export interface GatewayLogin {
  deviceId: string;
  passwordHash: string;
}

/** Self-hosted gateways, as the service sees them. */
export interface GatewayAccess {
  /** The password as these gateways store it. */
  hashPassword(password: string): Promise<string>;
  /** From now on the gateways let in exactly these devices. */
  publish(logins: GatewayLogin[]): Promise<void>;
}

/**
 * Brings the gateways up to date with the database, which is the truth: what they keep is always written as a
 * whole, so that a lost or old copy mends itself. Services that share a database do this one at a time.
 */
export async function publishGatewayAccess(database: Database, gateways: GatewayAccess): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'gatewayAccess');
    const rows = await transaction
      .select({ deviceId: devices.deviceId, passwordHash: devices.gatewayPasswordHash })
      .from(devices)
      .where(isNotNull(devices.gatewayPasswordHash))
      .orderBy(devices.deviceId);
    await gateways.publish(
      rows.flatMap(({ deviceId, passwordHash }) => (passwordHash ? [{ deviceId, passwordHash }] : [])),
    );
  });
}
