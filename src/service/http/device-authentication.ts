import { deviceIdleDays } from '#shared/constants.ts';
import { and, eq, lte, sql, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { notifyAccounts } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { seatCounts } from '../database/seat-counts.ts';
import { deviceId as deviceIdSchema } from './device-fields.ts';
import { devices, users } from '../database/schema/account.ts';
import { sha256 } from './token.ts';

export type UserRow = typeof users.$inferSelect;

/** Seats of a plan. */
export interface TakenSeats {
  members: number;
  /** Including those reserved for invited people. */
  taken: number;
}

export interface SignedInDevice {
  deviceId: string;
  tokenHash: string;
  /** False for browsers. */
  isDevice: boolean;
  /** Its user name at gateways. */
  gatewayUser: string;
  /** Whether gateways still accept the token as a password. */
  hasTokenAtGateways: boolean;
  user: Pick<UserRow, keyof typeof userColumns>;
  /** The account whose plan, trial and apps the user shares: a member's payer, otherwise the user. */
  owner: Pick<UserRow, keyof typeof ownerColumns>;
  /** The seats of the owner's plan, if they were asked for. */
  seats: TakenSeats | null;
}

const owners = alias(users, 'owners');

// Only what calls use: every column that is read costs time in every call.
const userColumns = {
  id: users.id,
  email: users.email,
  level: users.level,
} as const;
const ownerColumns = {
  id: owners.id,
  email: owners.email,
  firstOrderDone: owners.firstOrderDone,
  serviceId: owners.serviceId,
  trialExpiredAt: owners.trialExpiredAt,
  trialTraffic: owners.trialTraffic,
} as const;
const deviceColumns = {
  gatewayUser: devices.gatewayUser,
  isDevice: devices.isDevice,
  hasTokenAtGateways: sql<boolean>`${devices.gatewayPasswordHash} is not null`,
  lastSeenAt: devices.lastSeenAt,
} as const;
const noSeats = { members: sql<null>`null`, invited: sql<null>`null` };

const lastSeenStepMs = 60_000;

/** `deviceId` and `token` of a Basic Authorization header (RFC 7617), or undefined if there are none. */
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

/** Devices that were last seen at or before this time are signed out. */
function idleSince(now: Date): Date {
  return new Date(now.getTime() - deviceIdleDays * 24 * 3_600_000);
}

/** Deletes devices that were not used for too long, and their passwords at gateways with them. */
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

/** Who calls, or undefined if the header does not name a device with that token. */
export type AuthenticateDevice = (
  authorization: string | undefined,
  now: Date,
) => Promise<SignedInDevice | undefined>;

/** `countsSeats`: in the same statement, because a second one would take nearly as long as the first. */
export function deviceAuthentication(
  database: Database,
  { countsSeats = false }: { countsSeats?: boolean } = {},
): AuthenticateDevice {
  const seats: Record<'members' | 'invited', SQL<number | null>> = countsSeats
    ? seatCounts(database, { payerId: owners.id, now: sql.placeholder('now') })
    : noSeats;
  // Every call runs this. Building its text each time took longer than everything else that the service does for most
  // calls.
  const findDevice = database
    .select({ device: deviceColumns, user: userColumns, owner: ownerColumns, seats })
    .from(devices)
    .innerJoin(users, eq(users.id, devices.userId))
    .innerJoin(owners, eq(owners.id, sql`coalesce(${users.payerId}, ${users.id})`))
    .where(
      and(
        eq(devices.deviceId, sql.placeholder('deviceId')),
        eq(devices.tokenHash, sql.placeholder('tokenHash')),
      ),
    )
    .prepare(countsSeats ? 'signed_in_device_and_seats' : 'signed_in_device');

  return async (authorization, now) => {
    const credentials = readCredentials(authorization);
    if (!credentials) return undefined;
    // Found by hash, so that the time it takes reveals nothing about a token.
    const tokenHash = sha256(credentials.token);
    const { deviceId } = credentials;
    const [found] = await findDevice.execute({ deviceId, tokenHash, now });
    if (!found || found.device.lastSeenAt <= idleSince(now)) return undefined;
    const { lastSeenAt, ...device } = found.device;
    // A time to come is from before the clock was set back: nobody would seem to be idle until then.
    if (Math.abs(now.getTime() - lastSeenAt.getTime()) >= lastSeenStepMs) {
      const isThis = eq(devices.gatewayUser, device.gatewayUser);
      await database.update(devices).set({ lastSeenAt: now }).where(isThis);
    }
    const { user, owner } = found;
    return { ...device, deviceId, tokenHash, user, owner, seats: takenSeats(found.seats) };
  };
}

function takenSeats({ members, invited }: Record<'members' | 'invited', number | null>): TakenSeats | null {
  return members === null || invited === null ? null : { members, taken: members + invited };
}
