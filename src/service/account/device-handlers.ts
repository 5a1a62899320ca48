import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { SignedInDevice } from '../http/device-authentication.ts';
import { deviceId as deviceIdSchema } from '../http/device-fields.ts';
import type { Entitlements } from './entitlements.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { devices } from '../database/schema/account.ts';

/** A user's devices; revoking one ends its token and its access to the gateways. */
export function deviceHandlers({
  database,
  entitlements,
}: {
  database: Database;
  entitlements: Entitlements;
}): Pick<Handlers, 'devices' | 'revokeDevice' | 'revokeDevices'> {
  const publish = (transaction: Database, by: SignedInDevice, revoked: { gatewayUser: string }[]) =>
    entitlements.changed(transaction, [by.user.id], {
      change: 'devices',
      gatewayUsers: revoked.map(({ gatewayUser }) => gatewayUser),
      by: by.gatewayUser,
    });

  return {
    async devices({ device: { deviceId, user } }) {
      const rows = await database
        .select({ deviceId: devices.deviceId, name: devices.name, lastSeenAt: devices.lastSeenAt })
        .from(devices)
        .where(eq(devices.userId, user.id))
        .orderBy(desc(devices.lastSeenAt), devices.deviceId);
      return done({
        items: rows.map((row) => ({
          ...row,
          lastSeenAt: row.lastSeenAt.toISOString(),
          isCurrent: row.deviceId === deviceId,
        })),
      });
    },

    async revokeDevices({ device }) {
      return database.transaction(async (transaction) => {
        const revoked = await transaction
          .delete(devices)
          .where(eq(devices.userId, device.user.id))
          .returning({ gatewayUser: devices.gatewayUser });
        await publish(transaction, device, revoked);
        return done(null);
      });
    },

    async revokeDevice({ params, device }) {
      const deviceId = deviceIdSchema.safeParse(params.deviceId);
      if (!deviceId.success) return refused('not-found');
      return database.transaction(async (transaction) => {
        const revoked = await transaction
          .delete(devices)
          .where(and(eq(devices.deviceId, deviceId.data), eq(devices.userId, device.user.id)))
          .returning({ gatewayUser: devices.gatewayUser });
        if (revoked.length === 0) return refused('not-found');
        await publish(transaction, device, revoked);
        return done(null);
      });
    },
  };
}
