import { deviceIdleDays } from '#shared/constants.ts';
import { and, eq, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { notifyAccounts } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { deviceId as deviceIdSchema } from './device-fields.ts';
import { devices, users } from '../database/schema.ts';
import { sha256 } from './token.ts';

export type UserRow = typeof users.$inferSelect;

export interface SignedInDevice {
  deviceId: string;
  tokenHash: string;
  /** Whether it is no browser. */
  isDevice: boolean;
  /** Its user name at gateways. */
  gatewayUser: string;
  /** Whether gateways still take the token for a password. */
  hasTokenAtGateways: boolean;
  user: UserRow;
  /** Whose plan, trial and apps the user shares: a member's payer, else the user. */
  owner: UserRow;
}

const owners = alias(users, 'owners');

const lastSeenStepMs = 60_000;

/** `deviceId` and `token` of a Basic Authorization header (RFC 7617), or undefined if it carries none. */
function readCredentials(authorization: string | undefined) {
  const encoded = /^Basic +([A-Za-z0-9+/]{1,512}={0,2})$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = text.indexOf(':');
  const deviceId = deviceIdSchema.safeParse(text.slice(0, colon));
  const token = text.slice(colon + 1);
  if (colon < 0 || !deviceId.success || token === '') return undefined;
  return { deviceId: deviceId.data, token };
}

/** Devices that were last seen then, or before, are signed out. */
function idleSince(now: Date): Date {
  return new Date(now.getTime() - deviceIdleDays * 24 * 3_600_000);
}

/** Forgets the devices that were not used for too long, and with them their passwords at gateways. */
export async function forgetIdleDevices(database: Database, now: Date): Promise<void> {
  await database.transaction(async (transaction) => {
    const isIdle = lte(devices.lastSeenAt, idleSince(now));
    const forgotten = await transaction.delete(devices).where(isIdle).returning({ userId: devices.userId });
    await notifyAccounts(
      transaction,
      'devices',
      forgotten.map(({ userId }) => userId),
    );
  });
}

/** Who calls, or undefined if the header names no device with that token. */
export type AuthenticateDevice = (
  authorization: string | undefined,
  now: Date,
) => Promise<SignedInDevice | undefined>;

export function deviceAuthentication(database: Database): AuthenticateDevice {
  // Every call asks for it: making its text each time took longer than all else that the service does for most.
  const findDevice = database
    .select({ device: devices, user: users, owner: owners })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .where(
      and(
        eq(devices.deviceId, sql.placeholder('deviceId')),
        eq(devices.tokenHash, sql.placeholder('tokenHash')),
      ),
    )
    .prepare('signed_in_device');

  return async (authorization, now) => {
    const credentials = readCredentials(authorization);
    if (!credentials) return undefined;
    // Found by its hash: how long that takes tells nothing of a token.
    const tokenHash = sha256(credentials.token);
    const [found] = await findDevice.execute({ deviceId: credentials.deviceId, tokenHash });
    if (!found || found.device.lastSeenAt <= idleSince(now)) return undefined;
    const { device, user, owner } = found;
    const { deviceId, gatewayUser, isDevice } = device;
    if (now.getTime() - device.lastSeenAt.getTime() >= lastSeenStepMs) {
      await database.update(devices).set({ lastSeenAt: now }).where(eq(devices.gatewayUser, gatewayUser));
    }
    const hasTokenAtGateways = device.gatewayPasswordHash !== null;
    return { deviceId, tokenHash, isDevice, gatewayUser, hasTokenAtGateways, user, owner };
  };
}
