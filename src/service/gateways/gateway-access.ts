import { and, eq, gt, isNotNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { lockFor, type Database } from '../database/database.ts';
import { devices, plans, users } from '../database/schema.ts';

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

const owners = alias(users, 'owners');

/**
 * Brings the gateways up to date with the database, which is the truth: what they keep is always written as a
 * whole, so that a lost or old copy mends itself. Services that share a database do this one at a time.
 * A device is let in while its user, or the payer of a member, has a trial or a plan that has not expired
 * (specification §6).
 */
export async function publishGatewayAccess(
  database: Database,
  gateways: GatewayAccess,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'gatewayAccess');
    const rows = await transaction
      .select({ deviceId: devices.deviceId, passwordHash: sql<string>`${devices.gatewayPasswordHash}` })
      .from(devices)
      .innerJoin(users, eq(users.id, devices.userId))
      .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
      .leftJoin(plans, eq(plans.userId, owners.id))
      .where(
        and(
          isNotNull(devices.gatewayPasswordHash),
          or(gt(plans.expiredAt, now), and(eq(owners.firstOrderDone, false), gt(owners.trialExpiredAt, now))),
        ),
      )
      .orderBy(devices.deviceId);
    await gateways.publish(rows);
  });
}
